import { useLayoutEffect, useRef } from 'preact/hooks';
import { createStreamingMarkdown } from '../../markdown/streaming.ts';
import type { OpenSession } from '../../state/store.ts';
import { useConsole } from '../context.tsx';

/** The reply while it streams. It paints by itself, once per frame, without drawing anything else again. */
export function LiveMessage({ session }: { session: OpenSession }) {
  const { renderer } = useConsole();
  const text = useRef<HTMLDivElement>(null);
  const thoughts = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDetailsElement>(null);
  const { live } = session;
  const id = session.conversation.value.live?.id;
  useLayoutEffect(() => {
    const target = text.current;
    const thinking = thoughts.current;
    if (!target || !thinking) return undefined;
    target.replaceChildren();
    thinking.replaceChildren(document.createTextNode(''));
    const streaming = createStreamingMarkdown(target, renderer);
    let shown = '';
    let thought = '';
    let folded = false;
    let skip = false;
    return live.watch(() => {
      if (live.messageId !== id) return;
      if (skip) {
        skip = false;
        requestAnimationFrame(() => live.text !== shown && streaming.update(live.text));
        return;
      }
      const started = performance.now();
      if (live.reasoning !== thought) {
        const node = thinking.firstChild;
        if (node instanceof Text) node.appendData(live.reasoning.slice(thought.length));
        thought = live.reasoning;
        thinking.scrollTop = thinking.scrollHeight;
        box.current?.removeAttribute('hidden');
      }
      if (live.text !== shown) {
        if (!folded && thought !== '') box.current?.removeAttribute('open');
        folded = true;
        shown = live.text;
        streaming.update(shown);
      }
      skip = performance.now() - started > 12;
    });
  }, [id, live]);
  return (
    <article class="message assistant live" aria-busy="true">
      <details class="reasoning" ref={box} open hidden>
        <summary>
          <span class="pulse" aria-hidden="true" />
          Thinking
        </summary>
        <div class="reasoning-text" ref={thoughts} tabIndex={0} role="region" aria-label="Reasoning" />
      </details>
      <div class="markdown" ref={text} />
    </article>
  );
}
