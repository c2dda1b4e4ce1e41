import type { MemoryEntry } from './memory-file.ts';

/**
 * The entries that fit the words best, best first: whole words, beginnings of words and small slips of the pen; tags count
 * double. The index is built per search, a few milliseconds for 2,000 entries; the library is loaded when first needed.
 */
export async function searchEntries(
  entries: readonly MemoryEntry[],
  query: string,
  limit: number,
): Promise<MemoryEntry[]> {
  const { default: MiniSearch } = await import('minisearch');
  const index = new MiniSearch<MemoryEntry>({
    fields: ['content', 'tags'],
    extractField: (entry, field) => (field === 'tags' ? entry.tags.join(' ') : String(Reflect.get(entry, field))),
  });
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  index.addAll([...byId.values()]);
  const found = index.search(query.slice(0, 500), { prefix: true, fuzzy: 0.2, boost: { tags: 2 } });
  return found.slice(0, limit).flatMap(({ id }) => byId.get(id) ?? []);
}
