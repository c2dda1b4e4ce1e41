import type { DeltaChannel } from '../../lib/plugin-api/index.ts';

const open = '<think>';
const close = '</think>';
/** Blanks in front of a tag; more are a text of blanks. */
const mostBlanks = 1_000;

/**
 * Tells a leading `<think>...</think>` from the text after it, wherever the stream is cut. Text that may still become a
 * tag is held back until it can't. Only the start of an answer counts: the tags inside a text stay text.
 */
export function createThinkTags(emit: (channel: DeltaChannel, text: string) => void) {
  let state: 'start' | 'thinking' | 'gap' | 'text' = 'start';
  let held = '';

  const step = (): boolean => {
    if (state === 'start') {
      const text = held.trimStart();
      if (text === open) return advance('thinking', '');
      if (open.startsWith(text) && held.length - text.length <= mostBlanks) return false;
      return text.startsWith(open) ? advance('thinking', text.slice(open.length)) : advance('text', held);
    }
    if (state === 'thinking') {
      const end = held.indexOf(close);
      if (end >= 0) {
        if (end > 0) emit('reasoning', held.slice(0, end));
        return advance('gap', held.slice(end + close.length));
      }
      const safe = held.length - partialTail(held);
      if (safe > 0) emit('reasoning', held.slice(0, safe));
      held = held.slice(safe);
      return false;
    }
    if (state === 'gap') {
      held = held.trimStart();
      return held !== '' && advance('text', held);
    }
    if (held !== '') emit('text', held);
    held = '';
    return false;
  };
  const advance = (next: typeof state, rest: string): boolean => {
    state = next;
    held = rest;
    return true;
  };

  return {
    write(text: string): void {
      held += text;
      while (step());
    },
    end(): void {
      if (held !== '') emit(state === 'thinking' ? 'reasoning' : 'text', held);
      held = '';
    },
  };
}

/** How many characters at the end may be the beginning of the closing tag. */
function partialTail(text: string): number {
  for (let length = Math.min(close.length - 1, text.length); length > 0; length--)
    if (text.endsWith(close.slice(0, length))) return length;
  return 0;
}
