import { join } from 'node:path';
import type { FilePort } from './file-port.ts';
import { documentChunks, readDocument } from './line-document.ts';
import { replaceFile } from './replace-file.ts';
import type { SessionEntry } from './session-entry.ts';
import { entryFromHead, type SnapshotHead } from './session-entry.ts';
import { layout } from './store-paths.ts';

interface IndexLine extends SnapshotHead {
  /** The snapshot's lsn and revision when the line was written; the one on disk may be newer. */
  snapshot: { lsn: number; revision: number };
}

export interface SessionIndex {
  /** Every record up to this lsn is in the index. */
  lsn: number;
  /** The first lsn that was needed beside the index and its snapshots when it was written, or an earlier one. */
  needed: number;
  entries: Map<string, SessionEntry>;
}

/** Undefined when there is no index; throws when it is damaged. */
export async function readIndex(files: FilePort, root: string): Promise<SessionIndex | undefined> {
  const document = await readDocument(files, join(root, layout.index));
  if (!document) return undefined;
  const entries = new Map<string, SessionEntry>();
  for (const line of document.items as IndexLine[]) {
    const entry = { ...entryFromHead(line), snapshot: line.snapshot, inIndex: true };
    entries.set(line.session.id, entry);
  }
  const { lsn, needed = 1 } = document.head as { lsn: number; needed?: number };
  return { lsn, needed, entries };
}

/**
 * Writes `index.json` anew: what boot starts from instead of every snapshot. Lines may be newer than `lsn`; each says
 * how far it goes. Resolves to the first lsn that is still needed beside this index and the snapshots it knows.
 */
export async function writeIndex(
  files: FilePort,
  root: string,
  { lsn, entries }: Omit<SessionIndex, 'needed'>,
): Promise<number> {
  let needed = lsn + 1;
  for (const { pending } of entries.values()) needed = Math.min(needed, pending[0]?.lsn ?? needed);
  const lines = function* (): Generator<IndexLine> {
    for (const entry of entries.values()) {
      entry.inIndex = true;
      yield { lsn: entry.lsn, length: entry.length, snapshot: entry.snapshot, session: entry.record };
    }
  };
  await replaceFile(files, join(root, layout.index), documentChunks({ lsn, needed }, 'sessions', lines()));
  return needed;
}
