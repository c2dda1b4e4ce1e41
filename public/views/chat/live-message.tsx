import { useLayoutEffect, useRef } from 'preact/hooks';
import { enhance } from '../../markdown/enhance.ts';
import { createStreamingMarkdown } from '../../markdown/streaming.ts';
import { duration } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Icon } from '../parts/icon.tsx';

/** The reply while it streams. It paints by itself, once per frame, without drawing anything else again. */
export function LiveMessage({ session }: { session: OpenSession }) {
  const { renderer, highlighter } = useConsole();
  const text = useRef<HTMLDivElement>(null);
  const thoughts = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDetailsElement>(null);
  const label = useRef<HTMLSpanElement>(null);
  const { live } = session;
  const id = session.conversation.value.live?.id;
  useLayoutEffect(() => {
    const target = text.current;
    const thinking = thoughts.current;
    if (!target || !thinking) return undefined;
    target.replaceChildren();
    thinking.replaceChildren(document.createTextNode(''));
    const fileLink = (path: string, line: number | undefined): string => links.files(session.id, path, line);
    const streaming = createStreamingMarkdown(target, renderer, (block, settled) =>
      enhance(block, { fileLink, ...(settled ? { highlighter } : {}) }),
    );
    let shown = '';
    let thought = '';
    let folded = false;
    let skip = false;
    const fold = (): void => {
      folded = true;
      if (thought === '') return;
      box.current?.removeAttribute('open');
      box.current?.classList.remove('thinking');
      const { reasoning: from, text: to } = live.since;
      if (label.current) label.current.textContent = from && to ? `Thought ${duration(to - from)}` : 'Thought';
    };
    const paint = (): void => {
      const started = performance.now();
      if (live.reasoning !== thought) {
        const node = thinking.firstChild;
        if (node instanceof Text) node.appendData(live.reasoning.slice(thought.length));
        thought = live.reasoning;
        thinking.scrollTop = thinking.scrollHeight;
        box.current?.removeAttribute('hidden');
      }
      if (live.text !== shown) {
        if (!folded) fold();
        shown = live.text;
        streaming.update(shown);
      }
      skip = performance.now() - started > 12;
    };
    return live.watch(() => {
      if (live.messageId !== id) return;
      if (!skip) return paint();
      skip = false;
      requestAnimationFrame(() => live.messageId === id && paint());
    });
  }, [id, live]);
  return (
    <article class="message assistant live" aria-busy="true">
      <details class="reasoning thinking" ref={box} open hidden>
        <summary>
          <span class="pulse" aria-hidden="true" />
          <Icon name="right" />
          <span ref={label}>Thinking</span>
        </summary>
        <div class="reasoning-text" ref={thoughts} tabIndex={0} role="region" aria-label="Reasoning" />
      </details>
      <div class="markdown" ref={text} />
    </article>
  );
}
