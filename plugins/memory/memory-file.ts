import { array, isServiceError, string, type, type Workspace } from '../../lib/plugin-api/index.ts';

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
  /** Replaces the entries by what `change` makes of them; changes of one file come one after the other. */
  change<T>(change: (entries: MemoryEntry[]) => { entries: MemoryEntry[]; result: T }): Promise<T>;
}

const Stored = type({
  entries: array(type({ id: string(), content: string(), tags: array(string()), createdAt: string() })),
});
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
        await workspace.write(path, `${JSON.stringify({ entries }, null, 2)}\n`);
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
  try {
    return Stored.create(JSON.parse(text.toString('utf8'))).entries;
  } catch {
    throw new Error(
      `${path} is not a memory file (it may have been edited by hand). Repair or remove it; it was left as it is.`,
    );
  }
}
