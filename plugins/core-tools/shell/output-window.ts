import { stripVTControlCharacters } from 'node:util';

/** Collects the output of a command in bounded memory: its beginning and its end. */
export interface OutputWindow {
  add(bytes: Uint8Array): void;
  readonly bytes: number;
  /** At most `most` characters, without terminal control sequences; NUL and what is not UTF-8 is shown as a symbol. */
  text(): string;
}

export function createOutputWindow(most: number): OutputWindow {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const room = Math.max(0, most - 100);
  const headRoom = Math.ceil(room / 2);
  const tailRoom = Math.floor(room / 2);
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
    if (tail.length > 4 * tailRoom + 65_536) tail = tail.slice(-tailRoom);
  };
  return {
    add(chunk) {
      bytes += chunk.length;
      take(decoder.decode(chunk, { stream: true }));
    },
    get bytes() {
      return bytes;
    },
    text() {
      take(decoder.decode());
      tail = tailRoom === 0 ? '' : tail.slice(-tailRoom);
      const left = chars - head.length - tail.length;
      const whole = left === 0 ? head + tail : `${head}\n[... ${left} of ${chars} characters left out ...]\n${tail}`;
      return stripVTControlCharacters(whole)
        .replaceAll('\0', '\u2400')
        .replace(/\p{Surrogate}/gu, '\ufffd');
    },
  };
}
