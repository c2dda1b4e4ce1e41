import { isRecord, isServiceError, parseJson, type Workspace } from '../../lib/plugin-api/index.ts';

export interface MemoryEntry {
  id: string;
  content: string;
  tags: string[];
  createdAt: string;
}

/** The memory of one workspace, a JSON file that people may read and edit. */
export interface MemoryFile {
  /** In the order of saving. Throws when the file is not a memory file. */
  read(): Promise<MemoryEntry[]>;
  /**
   * Replaces the entries by what `change` makes of them; changes of one file come one after the other. Throws when they
   * would be more than can be read again.
   */
  change<T>(change: (entries: MemoryEntry[]) => { entries: MemoryEntry[]; result: T }): Promise<T>;
}

/** Of one entry. */
export const limits = { contentChars: 4_000, tags: 20, tagChars: 50 };
const largestFile = 16 * 1024 * 1024;

/** Opens memory files at `path` of each workspace. Keeps a queue per file that is being changed, and nothing else. */
export function createMemoryFiles(path: string): (workspace: Workspace) => MemoryFile {
  const queues = new Map<string, Promise<unknown>>();
  return (workspace) => ({
    read: () => read(workspace, path),
    change(change) {
      const before = queues.get(workspace.root) ?? Promise.resolve();
      const changed = before.then(async () => {
        const { entries, result } = change(await read(workspace, path));
        const bytes = Buffer.from(`${JSON.stringify({ entries }, null, 2)}\n`);
        if (bytes.length > largestFile)
          throw new Error(`The memory is full: ${path} may have ${largestFile} bytes. Delete entries first.`);
        await workspace.write(path, bytes);
        return result;
      });
      const settled = changed
        .catch(() => {})
        .then(() => {
          if (queues.get(workspace.root) === settled) queues.delete(workspace.root);
        });
      queues.set(workspace.root, settled);
      return changed;
    },
  });
}

async function read(workspace: Workspace, path: string): Promise<MemoryEntry[]> {
  const text = await workspace.readBytes(path, { limit: largestFile }).catch((error: unknown) => {
    if (isServiceError(error) && error.code === 'not_found') return undefined;
    throw error;
  });
  if (text === undefined) return [];
  const entries = entriesIn(text.toString('utf8'));
  if (entries === undefined)
    throw new Error(
      `${path} is not a memory file (it may have been edited by hand). Repair or remove it; it was left as it is.`,
    );
  return entries;
}

/** Undefined when it is no memory file. Checked by hand: a general validator takes seconds for the largest file. */
function entriesIn(text: string): MemoryEntry[] | undefined {
  const stored = parseJson(text);
  const entries = isRecord(stored) ? stored.entries : undefined;
  return Array.isArray(entries) && entries.every(isEntry) ? entries : undefined;
}

function isEntry(value: unknown): value is MemoryEntry {
  if (!isRecord(value)) return false;
  const { id, content, tags, createdAt } = value;
  return [id, content, createdAt].every(isText) && Array.isArray(tags) && tags.every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
