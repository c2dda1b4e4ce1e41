import { limits, type MemoryEntry } from './memory-file.ts';

/** Of a query. */
const mostWords = 32;

/**
 * The entries that fit the words best, best first: whole words, beginnings of words and small slips of the pen; tags count
 * double. The index is built per search, in slices of a few milliseconds so that nobody waits (2,000 entries of 40 words: 0.3 s
 * in all), from as much of an entry as saving takes: the file may be anybody's. So may the query: of its words 32 count, each
 * once, and a single letter as itself only. The library is loaded when first needed.
 */
export async function searchEntries(
  entries: readonly MemoryEntry[],
  query: string,
  most: number,
): Promise<MemoryEntry[]> {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch<MemoryEntry>({
    fields: ['content', 'tags'],
    extractField: (entry, field) => {
      if (field === 'tags')
        return entry.tags
          .slice(0, limits.tags)
          .join(' ')
          .slice(0, limits.tags * limits.tagChars);
      return String(Reflect.get(entry, field)).slice(0, limits.contentChars);
    },
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  await index.addAllAsync([...byId.values()], { chunkSize: 10 });
  const tokenize: (text: string) => string[] = MiniSearch.getDefault('tokenize');
  const found = index.search(query.slice(0, 500).toLowerCase(), {
    tokenize: (text) => [...new Set(tokenize(text))].slice(0, mostWords),
    prefix: (word) => word.length > 1,
    fuzzy: 0.2,
    boost: { tags: 2 },
  });
  return found.slice(0, most).flatMap(({ id }) => byId.get(id) ?? []);
}
