import { stripVTControlCharacters } from 'node:util';

/** Collects the output of a command in bounded memory: its beginning and its end. */
export interface OutputWindow {
  add(bytes: Uint8Array): void;
  readonly bytes: number;
  /**
   * At most `most` characters less what is to be added, without terminal control sequences; NUL and what is not UTF-8 is
   * shown as a symbol. Called once.
   */
  text(added: number): string;
}

/** `most` is the number of characters that are shown in the end; a few times as many are held meanwhile. */
export function createOutputWindow(most: number): OutputWindow {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const headRoom = Math.ceil(most / 2);
  let bytes = 0;
  let chars = 0;
  let head = '';
  let tail = '';
  const take = (text: string): void => {
    chars += text.length;
    const rest = head.length < headRoom ? text.slice(headRoom - head.length) : text;
    if (rest.length < text.length) head += text.slice(0, text.length - rest.length);
    tail += rest;
    // Cutting at every chunk would copy the tail for each of them.
    if (tail.length > 2 * most + 65_536) tail = tail.slice(-most);
  };
  return {
    add(chunk) {
      bytes += chunk.length;
      take(decoder.decode(chunk, { stream: true }));
    },
    get bytes() {
      return bytes;
    },
    text(added) {
      take(decoder.decode());
      const room = Math.max(0, most - added);
      const whole = chars <= room ? head + tail : shortened({ head, tail, chars, room });
      return stripVTControlCharacters(whole)
        .replaceAll('\0', '\u2400')
        .replace(/\p{Surrogate}/gu, '\ufffd');
    },
  };
}

/** Beginning and end with a marker between; the beginning alone where there is no room for the marker. */
function shortened({ head, tail, chars, room }: { head: string; tail: string; chars: number; room: number }): string {
  const marker = (left: number) => `\n[... ${left} of ${chars} characters left out ...]\n`;
  const kept = room - marker(chars).length;
  if (kept <= 0) return head.slice(0, room);
  const ends = { head: head.slice(0, Math.ceil(kept / 2)), tail: tail.slice(tail.length - Math.floor(kept / 2)) };
  return `${ends.head}${marker(chars - kept)}${ends.tail}`;
}
