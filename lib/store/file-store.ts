import { dirname, join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { type Slots, unlimited } from '../base/slots.ts';
import { boundedFiles } from './bounded-files.ts';
import type { SessionCommit } from './change.ts';
import { type DirectoryLock, lockDirectory } from './directory-lock.ts';
import { createDiskCare } from './disk-care.ts';
import { type FilePort, systemFiles } from './file-port.ts';
import { createImageFiles } from './image-files.ts';
import type { LoggedCommit } from './log-record.ts';
import { createLogWriter, type LogWriter } from './log-writer.ts';
import { createMetaFiles } from './meta-files.ts';
import { absent, storeClosed } from './not-stored.ts';
import { recover } from './recovery.ts';
import { ensureDirectory } from './replace-file.ts';
import type { Disk } from './reserve.ts';
import { advance, createEntry, type SessionEntry } from './session-entry.ts';
import type { OpenedStore, OpenOptions, SessionStore } from './session-store.ts';
import { createSnapshots, type Snapshots } from './snapshots.ts';
import { layout } from './store-paths.ts';
import { createUpkeep, type Upkeep } from './upkeep.ts';

export interface FileStoreOptions {
  /** The data root; created if need be. */
  directory: string;
  /** `full`: a commit survives a power cut. `process`: it survives the end of this process only. */
  durability: 'full' | 'process';
  clock: Clock;
  log: Logger;
  /** The system calls; tests pass failing ones. */
  files?: FilePort;
  /** Size at which a new log segment is begun. */
  segmentBytes?: number;
  /** Size of `reserve.bin`, which is given back when the disk is full. Default 0: none. */
  reserveBytes?: number;
  /** Tests pass one that is full when they want it. */
  disk?: Disk;
  /** Bounds how many transcripts and images are read or written at once. */
  slots?: Slots;
  /** Takes the directory for this process; tests whose directory is not on a disk pass their own. */
  lock?: (directory: string) => Promise<DirectoryLock>;
}

interface Parts {
  lock: DirectoryLock;
  entries: Map<string, SessionEntry>;
  writer: LogWriter;
  snapshots: Snapshots;
  upkeep: Upkeep;
}

/** Sessions in files: a write-ahead log that acknowledges, and behind it one readable snapshot per session. */
export function createFileStore(options: FileStoreOptions): SessionStore {
  const { directory: root, durability, clock, log, slots = unlimited, lock: take = lockDirectory } = options;
  const files = boundedFiles(options.files ?? systemFiles, slots);
  const images = createImageFiles(files, root, slots);
  const meta = createMetaFiles(files, root, log);
  const care = createDiskCare({ ...options, files, root, reserveBytes: options.reserveBytes ?? 0 });
  const inFlight = new Map<string, SessionCommit[]>();
  let durableLsn = 0;
  let parts: Parts | undefined;
  let closing: Promise<void> | undefined;

  return {
    open,
    async commit(commit) {
      const { writer } = usable();
      care.admit(commit.change);
      const waiting = inFlight.get(commit.sessionId) ?? [];
      inFlight.set(commit.sessionId, waiting);
      waiting.push(commit);
      try {
        await writer.append(commit);
      } catch (error) {
        landed(commit);
        throw error;
      }
    },
    async readMessages(tenantId, sessionId) {
      const { entries, snapshots } = usable();
      return snapshots.read(existing(entries, tenantId, sessionId));
    },
    async putImage(_tenantId, sessionId, data) {
      const { entries } = usable();
      care.admitBytes();
      const isThere = (): boolean => entries.has(sessionId) || inFlight.has(sessionId);
      const image = await images.put(sessionId, data).catch((error: unknown) => {
        // Its directory goes with the session.
        throw isThere() ? error : absent(sessionId);
      });
      // Looked at afterwards, so that an image that arrives behind the deletion does not stay.
      if (isThere()) return image;
      await images.remove(sessionId);
      throw absent(sessionId);
    },
    async readImage(tenantId, sessionId, hash) {
      const entry = usable().entries.get(sessionId);
      return entry?.record.tenantId === tenantId ? images.read(sessionId, hash) : undefined;
    },
    readMeta: (key) => meta.read(key),
    writeMeta: (key, value) => care.withReserve(() => meta.write(key, value)),
    metaKeys: () => meta.keys(),
    trouble: care.trouble,
    figures: () => usable().writer.figures(),
    flush: async () => flush(usable()),
    close: () => (closing ??= close()),
  };

  async function open({ resident }: OpenOptions): Promise<OpenedStore> {
    const lock = await take(root);
    try {
      await care.open();
      const recovered = await care.withReserve(async () => {
        await ensureDirectory(files, root, join(root, layout.log));
        await ensureDirectory(files, root, join(root, layout.sessions));
        // Its own name too, when it was made just now; a parent that this process may not open was there before.
        await files.syncDirectory(dirname(root)).catch(() => undefined);
        return recover(files, root);
      });
      const { entries, findings, aside, incomplete } = recovered;
      durableLsn = recovered.lastLsn;
      const writer = createLogWriter({
        files,
        directory: join(root, layout.log),
        durability,
        segmentBytes: options.segmentBytes ?? defaultSegmentBytes,
        lastLsn: recovered.lastLsn,
        nextSegment: recovered.nextSegment,
        closed: recovered.segments,
        refusal,
        onDurable,
        met: care.met,
        log,
      });
      const snapshots = createSnapshots({
        files,
        root,
        clock,
        log,
        resident,
        inFlight: (sessionId) => inFlight.get(sessionId) ?? [],
        admit: care.admitBytes,
        onTaken: () => parts?.upkeep.consider(),
      });
      const upkeep = createUpkeep(
        {
          files,
          root,
          clock,
          log,
          writer,
          entries,
          durableLsn: () => durableLsn,
          removeImages: images.remove,
          settle: snapshots.settle,
          withReserve: care.withReserve,
        },
        recovered.indexIsOld,
      );
      parts = { lock, entries, writer, snapshots, upkeep };
      for (const purge of recovered.unpurged) upkeep.purge({ ...purge, lsn: 0 });
      for (const entry of entries.values()) if (entry.pending.length > 0) snapshots.touch(entry);
      return { sessions: Array.from(entries.values(), ({ record }) => record), findings, aside, incomplete };
    } catch (error) {
      await care.close();
      await lock.release();
      throw error;
    }
  }

  function refusal(commit: SessionCommit, ahead: SessionCommit | undefined): string | undefined {
    const entry = parts?.entries.get(commit.sessionId);
    const exists = ahead ? ahead.change.kind !== 'deleted' : entry !== undefined;
    const revision = ahead?.revision ?? entry?.record.revision ?? 0;
    if (commit.change.kind === 'created') return exists || revision > 0 ? 'the session exists already' : undefined;
    if (!exists) return 'the session is not in the store';
    if (commit.change.kind === 'deleted' || commit.revision === revision + 1) return undefined;
    return `revision ${commit.revision} does not follow ${revision}`;
  }

  function onDurable(logged: LoggedCommit): void {
    if (!parts) return;
    const { entries, snapshots, upkeep } = parts;
    const { change, sessionId, tenantId } = logged.commit;
    durableLsn = logged.lsn;
    landed(logged.commit);
    const entry = entries.get(sessionId);
    if (change.kind === 'deleted') {
      if (entry) {
        entry.deleted = true;
        snapshots.forget(entry);
      }
      entries.delete(sessionId);
      upkeep.purge({ tenantId, sessionId, lsn: logged.lsn, ...(entry && { entry }) });
      // No snapshot may come for long that would ask for it: of sessions that are deleted soon none is written.
      upkeep.consider();
      return;
    }
    if (entry) advance(entry, logged);
    else if (change.kind === 'created') entries.set(sessionId, createEntry(logged, change.session));
    const touched = entries.get(sessionId);
    if (touched) snapshots.touch(touched);
  }

  /** A commit is no longer on its way, whatever became of it. */
  function landed(commit: SessionCommit): void {
    const waiting = inFlight.get(commit.sessionId);
    const at = waiting?.indexOf(commit) ?? -1;
    if (waiting && at >= 0) waiting.splice(at, 1);
    if (waiting?.length === 0) inFlight.delete(commit.sessionId);
  }

  function usable(): Parts {
    if (!parts || closing) throw storeClosed();
    return parts;
  }

  /** Afterwards nothing of the log is needed, so that the next boot reads the index alone. */
  async function flush({ snapshots, upkeep, writer }: Parts): Promise<void> {
    await writer.idle();
    await snapshots.flush();
    await writer.rotate();
    await upkeep.flush();
  }

  async function close(): Promise<void> {
    if (!parts) return;
    const { lock, writer, snapshots, upkeep } = parts;
    try {
      await flush(parts);
    } catch {
      log.warn('The store could not write everything before it closed; the log still has it.');
    }
    snapshots.stop();
    upkeep.stop();
    await writer.close();
    await care.close();
    await lock.release();
  }
}

function existing(entries: Map<string, SessionEntry>, tenantId: string, sessionId: string): SessionEntry {
  const entry = entries.get(sessionId);
  if (entry?.record.tenantId !== tenantId) throw absent(sessionId);
  return entry;
}

const defaultSegmentBytes = 16 * 1024 * 1024;
