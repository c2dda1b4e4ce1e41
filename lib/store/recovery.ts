import { join } from 'node:path';
import { messageOf, systemCode } from '../base/caught.ts';
import { defaultTenantId } from '../wire/identity.ts';
import type { FilePort } from './file-port.ts';
import { readDocument, readDocumentHead } from './line-document.ts';
import { type ReadLog, readLog } from './log-reader.ts';
import { type ClosedSegment, listSegments, segmentPath } from './log-segment.ts';
import { quarantine, quarantineImages } from './quarantine.ts';
import { syncWhole, temporarySuffix } from './replace-file.ts';
import { createReplay, type Suspect } from './replay.ts';
import { entryFromHead, gapIn, type SessionEntry, type SnapshotHead, snapshotTaken } from './session-entry.ts';
import { readIndex, type SessionIndex } from './session-index.ts';
import { isFileName, layout, sessionDirectory, snapshotPath } from './store-paths.ts';

export interface Recovered {
  entries: Map<string, SessionEntry>;
  segments: ClosedSegment[];
  nextSegment: number;
  lastLsn: number;
  findings: string[];
  /** See `OpenedStore`. */
  aside: string[];
  incomplete: boolean;
  /** Deleted sessions of which something is left. */
  unpurged: { sessionId: string; tenantId: string }[];
  /** The index is missing, damaged or behind. */
  indexIsOld: boolean;
}

/**
 * Brings the directory back to the last durable commit: index, then snapshots the index does not know, then the log.
 * Changes nothing that a second run would not decide the same way, so it may be interrupted at any point.
 * Sessions that can't be restored whole are set aside in `quarantine/`; they never stop the others.
 */
export async function recover(files: FilePort, root: string): Promise<Recovered> {
  const findings: string[] = [];
  const suspects: Suspect[] = [];
  const index = await loadIndex(files, root, findings);
  const { entries } = index;
  await compareWithSnapshots(files, root, entries, suspects);
  const onDisk = new Set([...entries.keys(), ...suspects.map(({ session }) => session)]);

  const logDirectory = join(root, layout.log);
  const known = Math.max(index.lsn, highestLsn(entries.values()));
  const read = await readLog(files, logDirectory, { known, needed: index.needed });
  const replay = createReplay(entries, suspects, findings);
  const segments = read.segments.map((segment) => replay.segment(segment));
  for (const entry of entries.values()) {
    const gap = gapIn(entry);
    if (gap) suspects.push({ session: entry.record.id, tenant: entry.record.tenantId, reason: gap });
  }

  // A damaged index or a record whose session nobody can tell; what follows names the sessions that it is about.
  const incomplete = findings.length > 0;
  const aside: string[] = [];
  for (const [session, suspect] of new Map(suspects.map((each) => [each.session, each]))) {
    const entry = entries.get(session);
    if (replay.deleted.has(session) || (entry && (await heal(files, root, entry, suspect)))) continue;
    entries.delete(session);
    aside.push(session);
    await quarantine(files, root, { ...suspect, records: replay.recordsOf(session) });
    findings.push(
      `Session ${session} is damaged (${suspect.reason}) and was moved to ${layout.quarantine}/${session}.`,
    );
  }
  const numbers = await cut(files, logDirectory, read, findings);
  // What is seen from here on stays: a later record must not outlive one that was never synced.
  for (const number of read.unproven) await syncWhole(files, segmentPath(logDirectory, number));
  const isOver = (session: string): boolean => !incomplete || replay.deleted.has(session);
  await removeLeftovers(files, root, { entries, isOver });
  return {
    entries,
    segments: segments.filter(({ number }) => numbers.includes(number)),
    nextSegment: (numbers.at(-1) ?? 0) + 1,
    lastLsn: Math.max(known, read.lastLsn),
    findings,
    aside,
    incomplete,
    unpurged: [...replay.deleted]
      .filter(([id]) => onDisk.has(id) || segments.some(({ sessions }) => sessions.has(id)))
      .map(([sessionId, tenantId]) => ({ sessionId, tenantId })),
    indexIsOld: index.isOld || read.lastLsn > index.lsn,
  };
}

async function loadIndex(
  files: FilePort,
  root: string,
  findings: string[],
): Promise<SessionIndex & { isOld: boolean }> {
  const empty = { lsn: 0, needed: 1, entries: new Map<string, SessionEntry>(), isOld: true };
  try {
    const index = await readIndex(files, root);
    return index ? { ...index, isOld: false } : empty;
  } catch (error) {
    throwIfPassing(error);
    findings.push(`The index was damaged (${messageOf(error)}) and was rebuilt.`);
    return empty;
  }
}

/** One directory listing per tenant. Snapshots that the index does not know are read by their first line. */
async function compareWithSnapshots(
  files: FilePort,
  root: string,
  entries: Map<string, SessionEntry>,
  suspects: Suspect[],
): Promise<void> {
  const found = new Set<string>();
  const tenants = await files.list(join(root, layout.tenants));
  for (const tenant of new Set([defaultTenantId, ...tenants.filter(isFileName)])) {
    const directory = sessionDirectory(root, tenant);
    const names = await files.list(directory);
    await inParallel(names, async (name) => {
      if (name.endsWith(temporarySuffix)) return files.remove(join(directory, name));
      const session = name.slice(0, -'.json'.length);
      if (!name.endsWith('.json') || !isFileName(session)) return;
      found.add(session);
      if (entries.has(session)) return;
      const head = await snapshotHead(files, root, tenant, session);
      if (head) entries.set(session, entryFromHead(head));
      else suspects.push({ session, tenant, reason: 'its snapshot cannot be read' });
    });
  }
  for (const { record, snapshot } of entries.values())
    if (snapshot.revision > 0 && !found.has(record.id))
      suspects.push({ session: record.id, tenant: record.tenantId, reason: 'its snapshot is missing' });
}

/** A later snapshot than the index knows may hold what the log has lost; a log from the start may replace a snapshot. */
async function heal(files: FilePort, root: string, entry: SessionEntry, suspect: Suspect): Promise<boolean> {
  const { id, tenantId } = entry.record;
  const head = await wholeSnapshot(files, root, tenantId, id);
  if (suspect.missingUpTo !== undefined && (head?.lsn ?? 0) < suspect.missingUpTo) return false;
  if (!head) {
    entry.snapshot = { lsn: 0, revision: 0 };
    return gapIn(entry) === undefined;
  }
  snapshotTaken(entry, head.lsn, head.session.revision);
  if (head.session.revision > entry.record.revision)
    Object.assign(entry, { record: head.session, lsn: head.lsn, length: head.length });
  return gapIn(entry) === undefined;
}

/** The head of a snapshot that can be relied on from now on: all of it can be read, and a power cut leaves it as it is. */
async function wholeSnapshot(
  files: FilePort,
  root: string,
  tenant: string,
  session: string,
): Promise<SnapshotHead | undefined> {
  const head = await snapshotHead(files, root, tenant, session);
  const path = snapshotPath(root, tenant, session);
  try {
    if (!head || !(await readDocument(files, path))) return undefined;
  } catch (error) {
    throwIfPassing(error);
    return undefined;
  }
  await syncWhole(files, path);
  return head;
}

async function snapshotHead(
  files: FilePort,
  root: string,
  tenant: string,
  session: string,
): Promise<SnapshotHead | undefined> {
  try {
    const head = (await readDocumentHead(files, snapshotPath(root, tenant, session))) as
      | Partial<SnapshotHead>
      | undefined;
    if (typeof head?.lsn !== 'number' || typeof head.length !== 'number' || head.session?.id !== session)
      return undefined;
    return { lsn: head.lsn, length: head.length, session: head.session };
  } catch (error) {
    throwIfPassing(error);
    return undefined;
  }
}

/** What the system can't read for want of means is no damage: the start fails, and the next one finds everything. */
function throwIfPassing(error: unknown): void {
  if (['EMFILE', 'ENFILE', 'ENOMEM'].includes(systemCode(error) ?? '')) throw error;
}

/** Cuts torn tails off, removes segments that never got a first record. Returns the numbers that are left. */
async function cut(files: FilePort, logDirectory: string, read: ReadLog, findings: string[]): Promise<number[]> {
  for (const { number, at } of read.cuts) {
    findings.push(
      `A write to the log was cut short; ${at === 0 ? 'its segment' : 'its rest'} was dropped (segment ${number}).`,
    );
    const descriptor = await files.open(segmentPath(logDirectory, number), 'update');
    try {
      files.truncateSync(descriptor, at);
      await files.sync(descriptor);
    } finally {
      await files.close(descriptor);
    }
  }
  const useless = read.segments.filter(({ items, number }, index) => {
    const wasCut = read.cuts.some((each) => each.number === number);
    return items.length === 0 && (wasCut || index === read.segments.length - 1);
  });
  for (const { number } of useless) await files.remove(segmentPath(logDirectory, number));
  return listSegments(files, logDirectory);
}

/** Temporary files, and images of sessions that are no more; where damage may have made one missing they are set aside. */
async function removeLeftovers(
  files: FilePort,
  root: string,
  { entries, isOver }: { entries: Map<string, SessionEntry>; isOver: (session: string) => boolean },
): Promise<void> {
  for (const session of await files.list(join(root, layout.blobs))) {
    const directory = join(root, layout.blobs, session);
    if (entries.has(session)) await removeTemporary(files, directory);
    else if (isOver(session) || !isFileName(session)) await files.remove(directory);
    else await quarantineImages(files, root, session);
  }
  for (const directory of [root, join(root, layout.log), join(root, layout.meta)])
    await removeTemporary(files, directory, directory === root ? layout.index : '');
}

async function removeTemporary(files: FilePort, directory: string, prefix = ''): Promise<void> {
  for (const name of await files.list(directory))
    if (name.startsWith(prefix) && name.endsWith(temporarySuffix)) await files.remove(join(directory, name));
}

function highestLsn(entries: Iterable<SessionEntry>): number {
  let highest = 0;
  for (const { lsn } of entries) highest = Math.max(highest, lsn);
  return highest;
}

async function inParallel(names: string[], work: (name: string) => Promise<void>): Promise<void> {
  const queue = names.values();
  const worker = async (): Promise<void> => {
    for (const name of queue) await work(name);
  };
  await Promise.all(Array.from({ length: 16 }, worker));
}
