import { useLayoutEffect, useRef } from 'preact/hooks';
import { enhance } from '../../markdown/enhance.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';

const clipChars = 100_000;

/** Rendered markdown. Until it comes near the visible part it is plain text, so that a long transcript opens at once. */
export function Markdown({ text, sessionId, now }: { text: string; sessionId: string; now: boolean }) {
  const { renderer, highlighter, near } = useConsole();
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const target = box.current;
    if (!target) return undefined;
    const draw = (whole: boolean): void => {
      const long = text.length > clipChars && !whole;
      target.replaceChildren(renderer.render(long ? text.slice(0, clipChars) : text));
      enhance(target, { highlighter, fileLink: (path, line) => links.files(sessionId, path, line) });
      if (long) target.append(showAll(text.length, () => draw(true)));
    };
    if (now) {
      draw(false);
      return undefined;
    }
    target.textContent = text.slice(0, clipChars);
    return near.watch(target, () => draw(false));
    // Not again when `now` changes: a row that was drawn stays drawn.
  }, [text, sessionId]);
  return <div class="markdown" ref={box} />;
}

function showAll(length: number, onClick: () => void): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'button plain';
  button.textContent = `Show all ${Math.round(length / 1000)},000 characters`;
  button.addEventListener('click', onClick);
  return button;
}
