/** Keeps the head and the tail of a text that is too long, with a marker between; never splits a surrogate pair. */
export function cutText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const marker = `\n\n[… ${text.length - maxChars} characters left out …]\n\n`;
  const room = Math.max(0, maxChars - marker.length);
  const head = Math.ceil(room * 0.75);
  return wellFormed(text.slice(0, head)) + marker + wellFormed(text.slice(text.length - (room - head)));
}

function wellFormed(part: string): string {
  return part.replace(/[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/g, '');
}
