import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { errorCode, type FilePort } from './file-port.ts';
import { nextTurn } from './line-document.ts';
import { linesOf } from './log-reader.ts';
import { parseLine, voidLine } from './log-record.ts';
import { type ClosedSegment, segmentPath } from './log-segment.ts';
import type { LogWriter } from './log-writer.ts';
import { replaceFile } from './replace-file.ts';
import type { SessionEntry } from './session-entry.ts';
import { writeIndex } from './session-index.ts';
import { layout, snapshotPath } from './store-paths.ts';

export interface Purge {
  tenantId: string;
  sessionId: string;
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
const indexEveryBytes = 8 * 1024 * 1024;
const segmentsToKeep = 8;

/** What happens behind the log: deleted sessions leave the disk, the index follows, segments that nobody needs go. */
export function createUpkeep(options: UpkeepOptions, indexIsOld: boolean): Upkeep {
  const { files, root, clock, log, writer, entries } = options;
  const logDirectory = join(root, layout.log);
  let purges: Purge[] = [];
  let indexedLsn = indexIsOld ? -1 : options.durableLsn();
  let indexedBytes = 0;
  let tail: Promise<void> = Promise.resolve();
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
        writer.bytesWritten() - indexedBytes > indexEveryBytes || writer.closedSegments().length > segmentsToKeep;
      if (!due || considering || stopped) return;
      considering = true;
      serialised(checkpoint)
        .catch(report)
        .finally(() => {
          considering = false;
        });
    },
    async flush() {
      await serialised(purgeAll);
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
      serialised(purgeAll).catch((error) => {
        report(error);
        schedule(retryMs);
      });
    });
  }

  function report(error: unknown): void {
    log.warn('The upkeep of the store did not succeed and will be tried again.', { code: errorCode(error) });
  }

  function serialised(work: () => Promise<void>): Promise<void> {
    const task = tail.then(work);
    tail = task.catch(() => undefined);
    return task;
  }

  async function purgeAll(): Promise<void> {
    if (purges.length === 0) return;
    const batch = [...purges];
    for (const { tenantId, sessionId, entry } of batch) {
      await entry?.writing;
      await files.remove(snapshotPath(root, tenantId, sessionId));
      await options.removeImages(sessionId);
    }
    await writer.rotate();
    const gone = new Set(batch.map(({ sessionId }) => sessionId));
    for (const segment of [...writer.closedSegments()])
      if ([...gone].some((id) => segment.sessions.has(id))) await rewrite(segment, gone);
    if (batch.some(({ entry }) => !entry || entry.inIndex)) await checkpoint();
    purges = purges.filter((purge) => !batch.includes(purge));
  }

  /** Writes a segment anew with void records in place of those of the sessions that are gone. */
  async function rewrite(segment: ClosedSegment, gone: Set<string>): Promise<void> {
    const path = segmentPath(logDirectory, segment.number);
    const bytes = await files.read(path);
    if (bytes) await replaceFile(files, path, withoutSessions(bytes, segment, gone));
    for (const id of gone) segment.sessions.delete(id);
  }

  async function checkpoint(): Promise<void> {
    const lsn = options.durableLsn();
    const bytes = writer.bytesWritten();
    await writeIndex(files, root, { lsn, entries });
    indexedLsn = lsn;
    indexedBytes = bytes;
    let needed = lsn + 1;
    for (const entry of entries.values()) needed = Math.min(needed, entry.pending[0]?.lsn ?? needed);
    if (purges.length > 0) return;
    for (const segment of [...writer.closedSegments()]) {
      if (segment.lastLsn >= needed) continue;
      await files.remove(segmentPath(logDirectory, segment.number));
      writer.forget(segment);
    }
  }
}

async function* withoutSessions(bytes: Buffer, segment: ClosedSegment, gone: Set<string>): AsyncGenerator<Buffer> {
  let size = 0;
  let chunks: Buffer[] = [];
  for (const { line } of linesOf(bytes)) {
    const kept = keptLine(line, segment, gone);
    if (!kept) continue;
    chunks.push(kept);
    size += kept.length;
    if (size < 256 * 1024) continue;
    yield Buffer.concat(chunks);
    await nextTurn();
    chunks = [];
    size = 0;
  }
  yield Buffer.concat(chunks);
}

function keptLine(line: Buffer, segment: ClosedSegment, gone: Set<string>): Buffer | undefined {
  const parsed = parseLine(line);
  if (!parsed) return undefined;
  if (parsed.kind !== 'start' && parsed.lsn > segment.lastLsn) return undefined;
  const drop = parsed.kind === 'commit' && parsed.commit.change.kind !== 'deleted' && gone.has(parsed.commit.sessionId);
  return drop ? voidLine(parsed.lsn, parsed.durable) : Buffer.concat([line, lineFeed]);
}

const lineFeed = Buffer.from('\n');
