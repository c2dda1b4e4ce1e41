/**
 * Text as it is, but with everything that a person would not see made visible: control characters, direction marks and
 * other characters without a glyph could otherwise hide half of what they approve.
 */
export function visible(text: string): string {
  return text.replace(/[^\P{C}\n]|[\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return `\\u{${code}}`;
  });
}
