/**
 * Bytes as text, or undefined when they are none: a NUL or something that is not UTF-8. `cut` says that more bytes
 * would follow.
 */
export function decodeText(bytes: Uint8Array, cut: boolean): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    // `stream` holds an unfinished last character back instead of refusing it; a byte order mark stays.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: cut });
  } catch {
    return undefined;
  }
}

/** Lines as editors count them: a final line break ends the last line and does not begin another. */
export function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return text === '' || text.endsWith('\n') ? count : count + 1;
}
