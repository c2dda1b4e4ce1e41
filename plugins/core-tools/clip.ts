/** The text with its middle replaced by a marker when it is over `most` characters: the beginning and the end say the most. */
export function clip(text: string, most: number): string {
  if (text.length <= most) return text;
  const marker = (left: number) => `\n[... ${left} of ${text.length} characters left out ...]\n`;
  const kept = most - marker(text.length).length;
  // A cap that has no room for the marker shows the beginning.
  if (kept <= 0) return wholeCharacters(text.slice(0, most), text);
  const head = wholeCharacters(text.slice(0, Math.ceil(kept / 2)), text);
  return `${head}${marker(text.length - kept)}${text.slice(text.length - Math.floor(kept / 2)).replace(/^[\udc00-\udfff]/, '')}`;
}

/** At most `most` characters of one line. */
export function clipLine(line: string, most: number): string {
  return line.length <= most ? line : `${wholeCharacters(line.slice(0, most), line)} [... ${line.length - most} more]`;
}

/** Without the first half of a character whose second half was cut off. */
function wholeCharacters(head: string, text: string): string {
  return head.length < text.length ? head.replace(/[\ud800-\udbff]$/, '') : head;
}
