import { join } from 'node:path';
import { systemCode } from '../base/caught.ts';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { createSlots } from '../base/slots.ts';
import type { FilePort } from './file-port.ts';
import { segmentPath } from './log-segment.ts';
import type { LogWriter } from './log-writer.ts';
import { syncIfThere } from './replace-file.ts';
import { rewriteSegment } from './segment-rewrite.ts';
import type { SessionEntry } from './session-entry.ts';
import { writeIndex } from './session-index.ts';
import { layout, sessionDirectory, snapshotPath } from './store-paths.ts';

export interface Purge {
  tenantId: string;
  sessionId: string;
  /** The deletion's place in the log. */
  lsn: number;
  /** Undefined for a deletion that an earlier process began. */
  entry?: SessionEntry;
}

export interface UpkeepOptions {
  files: FilePort;
  root: string;
  clock: Clock;
  log: Logger;
  writer: LogWriter;
  entries: Map<string, SessionEntry>;
  /** The last durable lsn. */
  durableLsn: () => number;
  removeImages: (sessionId: string) => Promise<void>;
  /** See `Snapshots.settle`. */
  settle: () => Promise<void>;
  /** See `DiskCare.withReserve`. */
  withReserve: (work: () => Promise<void>) => Promise<void>;
}

export interface Upkeep {
  /** Removes every byte of a deleted session soon. */
  purge(purge: Purge): void;
  /** Writes the index and drops segments if there is enough to gain. Cheap to call often. */
  consider(): void;
  /** Resolves once nothing is left to purge and the index is up to date. */
  flush(): Promise<void>;
  stop(): void;
}

const purgeAfterMs = 50;
const retryMs = 3_000;
/** The index costs as much as there are sessions: not more often than this. */
const pauseMs = 3_000;
const indexEveryBytes = 8 * 1024 * 1024;
const segmentsToKeep = 8;

/** What happens behind the log: deleted sessions leave the disk, the index follows, segments that nobody needs go. */
export function createUpkeep(options: UpkeepOptions, indexIsOld: boolean): Upkeep {
  const { files, root, clock, log, writer, entries } = options;
  const logDirectory = join(root, layout.log);
  let purges: Purge[] = [];
  let indexedLsn = indexIsOld ? -1 : options.durableLsn();
  /** When everything was last settled, and after how many bytes. An index that a purge writes is no substitute. */
  let settledAt = Number.NEGATIVE_INFINITY;
  let settledBytes = 0;
  const serialised = createSlots(1);
  let timer: (() => void) | undefined;
  let considering = false;
  let stopped = false;

  return {
    purge(purge) {
      purges.push(purge);
      schedule(purgeAfterMs);
    },
    consider() {
      const due =
        writer.bytesWritten() - settledBytes > indexEveryBytes || writer.closedSegments().length > segmentsToKeep;
      if (!due || considering || stopped || clock.monotonic() - settledAt < pauseMs) return;
      considering = true;
      serialised(checkpoint)
        .catch(report)
        .finally(() => {
          considering = false;
        });
    },
    async flush() {
      await serialised(() => options.withReserve(purgeAll));
      if (indexedLsn !== options.durableLsn() || writer.closedSegments().length > 0) await serialised(checkpoint);
    },
    stop() {
      stopped = true;
      timer?.();
    },
  };

  function schedule(ms: number): void {
    if (timer || stopped) return;
    timer = clock.after(ms, () => {
      timer = undefined;
      serialised(() => options.withReserve(purgeAll)).catch((error) => {
        report(error);
        schedule(retryMs);
      });
    });
  }

  function report(error: unknown): void {
    log.warn('The upkeep of the store did not succeed and will be tried again.', { code: systemCode(error) });
  }

  async function purgeAll(): Promise<void> {
    if (purges.length === 0) return;
    const batch: Purge[] = [];
    const failures: unknown[] = [];
    // One whose files are held keeps those of no other.
    for (const purge of [...purges])
      await removeFiles(purge).then(
        () => batch.push(purge),
        (error) => failures.push(error),
      );
    if (batch.length > 0) await leaveLog(batch);
    purges = purges.filter((purge) => !batch.includes(purge));
    if (failures.length > 0) throw failures[0];
  }

  async function removeFiles({ tenantId, sessionId, entry }: Purge): Promise<void> {
    await entry?.writing;
    await files.remove(snapshotPath(root, tenantId, sessionId));
    await options.removeImages(sessionId);
  }

  /** Takes sessions whose files are gone out of the index and the log. */
  async function leaveLog(batch: Purge[]): Promise<void> {
    // The log goes on saying that they are deleted until their snapshots can't come back.
    for (const tenantId of new Set(batch.map((purge) => purge.tenantId)))
      await syncIfThere(files, sessionDirectory(root, tenantId));
    await writer.rotate();
    const gone = new Set(batch.map(({ sessionId }) => sessionId));
    const holding = writer
      .closedSegments()
      .filter(({ sessions }) => batch.some(({ sessionId }) => sessions.has(sessionId)));
    // Once index and snapshots are gone the log may go too, oldest first; only what must stay is worth a rewrite.
    if (holding.length > 1 || batch.some(({ entry }) => !entry || entry.inIndex))
      await dropSegments(await saveIndex(), batch);
    for (const segment of [...writer.closedSegments()]) await rewriteSegment(files, logDirectory, segment, gone);
  }

  async function checkpoint(): Promise<void> {
    settledAt = clock.monotonic();
    await options.settle();
    // The pause begins here: what was synced has kept the disk from the log for long enough.
    settledAt = clock.monotonic();
    const bytes = writer.bytesWritten();
    await dropSegments(await saveIndex());
    settledBytes = bytes;
  }

  /** Resolves to the first lsn that is needed beside the index. */
  async function saveIndex(): Promise<number> {
    const lsn = options.durableLsn();
    const needed = await writeIndex(files, root, { lsn, entries });
    indexedLsn = lsn;
    return needed;
  }

  /** Removes the segments before `needed`, oldest first. A deletion stays in the log until it is carried out, or nearly. */
  async function dropSegments(needed: number, nearlyDone: Purge[] = []): Promise<void> {
    const undone = purges.filter((purge) => !nearlyDone.includes(purge));
    const limit = Math.min(needed, ...undone.map(({ lsn }) => lsn));
    for (const segment of [...writer.closedSegments()]) {
      if (segment.lastLsn >= limit) return;
      await files.remove(segmentPath(logDirectory, segment.number));
      // One by one: a record must not come back without the deletion behind it.
      await files.syncDirectory(logDirectory);
      writer.forget(segment);
    }
  }
}
