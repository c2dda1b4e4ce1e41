export interface JsonBounds {
  depth: number;
  /** Brackets, commas and colons: what makes a parsed value large. */
  tokens: number;
  /** Keys: an object with many different ones is the dearest thing to parse. */
  keys: number;
}

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [
  34, 92, 123, 125, 91, 93, 44, 58,
];

/** True when JSON text (UTF-8) stays within the bounds. One linear pass that allocates nothing; it does not check the syntax. */
export function withinBounds(bytes: Uint8Array, bounds: JsonBounds): boolean {
  let [depth, tokens, keys] = [0, 0, 0];
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
        break;
      case colon:
        if (++keys > bounds.keys) return false;
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
  // Long texts without escapes (images) are skipped at the speed of a native search.
  const first = bytes.indexOf(quote, from);
  if (first < 0 || bytes[first - 1] !== backslash) return first < 0 ? bytes.length : first;
  for (let i = from; i < bytes.length; i++) {
    if (bytes[i] === backslash) i++;
    else if (bytes[i] === quote) return i;
  }
  return bytes.length;
}
