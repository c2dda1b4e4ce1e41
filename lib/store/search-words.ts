/** Scripts that are written without spaces: every character is a word. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const word = new RegExp(`${unspaced.source}|(?:(?!${unspaced.source})[\\p{L}\\p{N}\\p{M}])+`, 'gu');

const longestWord = 64;
/** What is searched of one message. Bounds the work, and what an index takes. */
const searchedCharacters = 100_000;

/** Letters and digits in lower case, without what only looks different (NFKC). What both drivers mean by "the words of a text". */
export function wordsOf(text: string): string[] {
  const plain = text.slice(0, searchedCharacters).normalize('NFKC').toLowerCase();
  return Array.from(plain.matchAll(word), ([found]) => Array.from(found).slice(0, longestWord).join(''));
}

/** The different words of a text, in no order that matters. */
export function searchableWords(text: string): string[] {
  return [...new Set(wordsOf(text))];
}
