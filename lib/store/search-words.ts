/** Scripts that are written without spaces: every character is a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const wordPattern = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

const longestWord = 64;
/** What is searched of one message. Bounds the work, and what an index takes. */
const searchedCharacters = 100_000;

/** The different words of a text: letters and digits, in lower case, without differences that are only of form (NFKC). */
export function searchableWords(text: string): string[] {
  const words = Array.from(plain(text).matchAll(wordPattern), ([found]) => clip(found));
  return [...new Set(words)];
}

/** Whether every wanted word begins a word of the text. What both drivers mean by a match. */
export function holdsWords(text: string, wanted: readonly string[]): boolean {
  const searched = plain(text);
  if (!wanted.every((word) => searched.includes(word))) return false;
  const words = searchableWords(searched);
  return wanted.every((start) => words.some((word) => word.startsWith(start)));
}

/** Where wanted words are in a text: start and end, at most `most` of them. */
export function findWords(text: string, wanted: readonly string[], most: number): [start: number, end: number][] {
  const found: [number, number][] = [];
  for (const match of text.matchAll(wordPattern)) {
    const word = clip(plain(match[0]));
    if (!wanted.some((start) => word.startsWith(start))) continue;
    found.push([match.index, match.index + match[0].length]);
    if (found.length === most) break;
  }
  return found;
}

function plain(text: string): string {
  return text.slice(0, searchedCharacters).normalize('NFKC').toLowerCase();
}

function clip(word: string): string {
  return word.length <= longestWord ? word : Array.from(word).slice(0, longestWord).join('');
}
