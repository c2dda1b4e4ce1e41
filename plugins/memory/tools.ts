import { randomBytes } from 'node:crypto';
import {
  array,
  defaulted,
  defineTool,
  field,
  integer,
  max,
  min,
  nonempty,
  optional,
  size,
  string,
  type Tool,
  type Workspace,
} from '../../lib/plugin-api/index.ts';
import { limits, type MemoryEntry, type MemoryFile } from './memory-file.ts';
import { searchEntries } from './search.ts';

export interface MemoryToolOptions {
  open(workspace: Workspace): MemoryFile;
  /** The oldest entries make room for new ones beyond this. */
  maxEntries: number;
  now(): number;
}

const limit = field(defaulted(max(min(integer(), 1), 200), 20), 'The most entries to return');

/** `memory_save`, `memory_search`, `memory_list` and `memory_delete`. */
export function memoryTools({ open, maxEntries, now }: MemoryToolOptions): Tool[] {
  return [
    defineTool({
      name: 'memory_save',
      category: 'memory',
      description:
        'Save a fact, decision or preference that later sessions in this workspace should know. One fact per entry, understandable on its own; no secrets.',
      parameters: {
        content: field(size(string(), 1, limits.contentChars), 'What to remember'),
        tags: field(
          defaulted(size(array(size(string(), 1, limits.tagChars)), 0, limits.tags), []),
          'Words to find it by',
        ),
      },
      async execute({ content, tags }, { workspace }) {
        if (content.trim() === '') return { content: 'The content is blank: say what to remember.', isError: true };
        const entry = {
          id: `mem_${randomBytes(5).toString('hex')}`,
          content,
          tags,
          createdAt: new Date(now()).toISOString(),
        };
        const dropped = await open(workspace).change((entries) => {
          const kept = [...entries, entry].slice(-maxEntries);
          return { entries: kept, result: entries.length + 1 - kept.length };
        });
        const note = dropped > 0 ? ` The memory is full: ${dropped} of the oldest entries made room.` : '';
        return { content: `Saved as ${entry.id}.${note}`, data: entry };
      },
    }),
    defineTool({
      name: 'memory_search',
      category: 'memory',
      description: 'Search what was saved in the memory of this workspace; the best matches come first.',
      parameters: { query: field(nonempty(string()), 'Words to look for'), limit },
      async execute({ query, limit }, { workspace }) {
        const entries = (await open(workspace).read()).slice(-maxEntries);
        return report(await searchEntries(entries, query, limit), 'Nothing in the memory matches.');
      },
    }),
    defineTool({
      name: 'memory_list',
      category: 'memory',
      description: 'List what was saved in the memory of this workspace, newest first.',
      parameters: { tag: field(optional(string()), 'Only entries with this tag'), limit },
      async execute({ tag, limit }, { workspace }) {
        const entries = await open(workspace).read();
        const wanted = entries.filter(({ tags }) => tag === undefined || tags.includes(tag)).reverse();
        const more = wanted.length > limit ? `\n(${wanted.length - limit} older entries are not shown.)` : '';
        return report(wanted.slice(0, limit), 'The memory is empty.', more);
      },
    }),
    defineTool({
      name: 'memory_delete',
      category: 'memory',
      description: 'Delete an entry of the memory of this workspace that is wrong or out of date.',
      parameters: { id: field(string(), 'The id of the entry, as saving, searching and listing show it') },
      async execute({ id }, { workspace }) {
        const found = await open(workspace).change((entries) => {
          const kept = entries.filter((entry) => entry.id !== id);
          return { entries: kept, result: kept.length < entries.length };
        });
        return found ? `Deleted ${id}.` : { content: `There is no entry ${id}.`, isError: true };
      },
    }),
  ];
}

function report(entries: readonly MemoryEntry[], none: string, more = ''): { content: string; data: unknown } {
  const lines = entries.map(({ id, content, tags, createdAt }) => {
    const labels = tags.length > 0 ? ` [${tags.join(', ')}]` : '';
    return `${id} (${createdAt.slice(0, 10)})${labels}: ${content}`;
  });
  return { content: lines.length > 0 ? lines.join('\n') + more : none, data: { entries } };
}
