export interface JsonBounds {
  depth: number;
  /** Brackets, commas and colons: what makes a parsed value large. */
  tokens: number;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [
  34, 92, 123, 125, 91, 93, 44, 58,
];

/** True when JSON text (UTF-8) stays within the bounds. One linear pass that allocates nothing; it does not check the syntax. */
export function withinBounds(bytes: Uint8Array, bounds: JsonBounds): boolean {
  let [depth, tokens] = [0, 0];
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case quote:
        i = endOfString(bytes, i + 1);
        continue;
      case openBrace:
      case openBracket:
        if (++depth > bounds.depth) return false;
        break;
      case closeBrace:
      case closeBracket:
        depth--;
        break;
      case comma:
      case colon:
        break;
      default:
        continue;
    }
    if (++tokens > bounds.tokens) return false;
  }
  return true;
}

/** The index of the quote that closes a string whose text starts at `from`; the length when none does. */
function endOfString(bytes: Uint8Array, from: number): number {
  for (let end = bytes.indexOf(quote, from); end >= 0; end = bytes.indexOf(quote, end + 1)) {
    let first = end;
    while (first > from && bytes[first - 1] === backslash) first--;
    if ((end - first) % 2 === 0) return end;
  }
  return bytes.length;
}
