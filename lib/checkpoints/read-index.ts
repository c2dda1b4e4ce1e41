import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemCode } from '../base/caught.ts';
import type { Target } from './protocol.ts';
import { incomingPath, indexPath, joinRecent, parseIndex, type RecordIndex, recentPath } from './record-index.ts';

/** The records of a repository as they are on disk, beside a worker that may be writing them. Throws when damaged. */
export async function readIndexFiles(repository: string): Promise<RecordIndex | undefined> {
  // The lines first: when the index is written whole in between, it has them too.
  const recent = await readIfThere(recentPath(repository));
  const stored = parseIndex(await readIfThere(indexPath(repository)));
  return stored && joinRecent(stored, recent);
}

/** The repositories in `directory` in which something lies that was never completed, or is being written now. */
export async function findUnfinished(directory: string): Promise<string[]> {
  const found: string[] = [];
  for (const repository of await repositoriesIn(directory))
    if ((await namesIn(incomingPath(repository))).length > 0) found.push(repository);
  return found;
}

export interface Orphans {
  target: Target;
  sessionIds: string[];
}

/** What the repositories in `directory` hold of sessions that are not there. A damaged index is passed over. */
export async function findOrphans(
  directory: string,
  isKnown: (tenantId: string, sessionId: string) => boolean,
): Promise<Orphans[]> {
  const found: Orphans[] = [];
  for (const repository of await repositoriesIn(directory)) {
    const index = await readIndexFiles(repository).catch(() => undefined);
    if (!index) continue;
    const { tenantId, workspace, records } = index;
    const all = new Set(records.map(({ sessionId }) => sessionId));
    const sessionIds = [...all].filter((sessionId) => !isKnown(tenantId, sessionId));
    if (sessionIds.length > 0) found.push({ target: { repository, workspace, tenantId }, sessionIds });
  }
  return found;
}

async function repositoriesIn(directory: string): Promise<string[]> {
  return (await namesIn(directory)).filter((name) => name.endsWith('.git')).map((name) => join(directory, name));
}

async function namesIn(directory: string): Promise<string[]> {
  return readdir(directory).catch(() => []);
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  });
}
