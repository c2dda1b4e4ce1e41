import { systemCode } from '../base/caught.ts';
import type { Logger } from '../base/log.ts';
import { nextTurn } from '../base/next-turn.ts';
import { appendBytes } from './append-bytes.ts';
import { endsSomething, type SessionCommit } from './change.ts';
import type { FilePort } from './file-port.ts';
import { commitLine, encodeCommit, type LoggedCommit, startLine } from './log-record.ts';
import { type ClosedSegment, createSegment, type OpenSegment } from './log-segment.ts';
import { notStored, storeInDoubt } from './not-stored.ts';
import { isDiskFull } from './reserve.ts';
import type { LogFigures } from './session-store.ts';

export interface LogWriterOptions {
  files: FilePort;
  /** The log directory; it exists. */
  directory: string;
  durability: 'full' | 'process';
  segmentBytes: number;
  /** Where recovery ended: the last lsn, the next free segment number, the segments that are there. */
  lastLsn: number;
  nextSegment: number;
  closed: ClosedSegment[];
  /** Why a commit can't follow what is durable, or what precedes it in its batch; undefined when it can. */
  refusal: (commit: SessionCommit, ahead: SessionCommit | undefined) => string | undefined;
  /** Called once a commit is durable, in log order, before its promise resolves. */
  onDurable: (logged: LoggedCommit) => void;
  /** See `DiskCare.met`: told why a batch could not be written, and whether something of it ends something. */
  met?: (error: unknown, ends: boolean) => Promise<boolean>;
  log: Logger;
}

export interface LogWriter {
  /** Resolves once the commit is durable; rejects when it is not, and then nothing of it counts. */
  append(commit: SessionCommit): Promise<void>;
  /** Closes the open segment, so that everything written so far lies in closed ones. */
  rotate(): Promise<void>;
  closedSegments(): ClosedSegment[];
  /** Takes removed segments off the list. */
  forget(segment: ClosedSegment): void;
  /** Bytes written since the process started. */
  bytesWritten(): number;
  figures(): LogFigures;
  /** Resolves once no commit is on its way. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  commit: SessionCommit;
  body: string;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * The one appender of the write-ahead log. Commits that arrive while a batch is being synced share the next sync
 * (group commit). A batch that can't be written is cut off again and rejected; a failed sync is never trusted: the
 * segment is abandoned and the batch written to a new one, once. After that commits reject until an attempt succeeds.
 */
export function createLogWriter(options: LogWriterOptions): LogWriter {
  const { files, directory, log } = options;
  const closed = [...options.closed];
  const queue: Waiting[] = [];
  const rotations: (() => void)[] = [];
  let open: OpenSegment | undefined;
  let prepared: Promise<OpenSegment | undefined> | undefined;
  let nextSegment = options.nextSegment;
  let lastLsn = options.lastLsn;
  let bytesWritten = 0;
  const counts = { commits: 0, batches: 0, syncs: 0, failures: 0 };
  let working: Promise<void> | undefined;
  let failing = false;
  /** Something of the batch could not be taken back: until a later one makes it void, a start would find it. */
  let uncut = false;

  return {
    append(commit) {
      return new Promise((resolve, reject) => {
        queue.push({ commit, body: encodeCommit(commit), resolve, reject });
        wake();
      });
    },
    rotate() {
      return new Promise((resolve) => {
        rotations.push(resolve);
        wake();
      });
    },
    closedSegments: () => closed,
    forget: (segment) => void closed.splice(closed.indexOf(segment), 1),
    bytesWritten: () => bytesWritten,
    figures: () => ({ ...counts, bytes: bytesWritten }),
    idle,
    async close() {
      await idle();
      closeSegment();
      const unused = await prepared;
      if (unused) await files.close(unused.descriptor).catch(() => undefined);
    },
  };

  async function idle(): Promise<void> {
    while (working) await working;
  }

  function wake(): void {
    working ??= Promise.resolve()
      .then(work)
      .finally(() => {
        working = undefined;
        if (queue.length + rotations.length > 0) wake();
      });
  }

  async function work(): Promise<void> {
    while (queue.length + rotations.length > 0) {
      const batch = admit(takeBatch());
      if (batch.length > 0) await store(batch);
      finishRotations();
      if (queue.length > 0) await nextTurn();
    }
  }

  function takeBatch(): Waiting[] {
    let bytes = 0;
    let count = 0;
    for (const { body } of queue) {
      bytes += body.length;
      if (count > 0 && bytes > largestBatch) break;
      count += 1;
    }
    return queue.splice(0, count);
  }

  function admit(batch: Waiting[]): Waiting[] {
    const ahead = new Map<string, SessionCommit>();
    return batch.filter(({ commit, reject }) => {
      const refusal = options.refusal(commit, ahead.get(commit.sessionId));
      if (refusal === undefined) ahead.set(commit.sessionId, commit);
      else reject(new Error(`The change was not stored: ${refusal}.`));
      return refusal === undefined;
    });
  }

  async function store(batch: Waiting[]): Promise<void> {
    uncut = false;
    try {
      if (!(await writeOnce(batch)) && !(await writeOnce(batch)))
        throw Object.assign(new Error('The log could not be synced.'), { code: 'EIO' });
    } catch (error) {
      const again = batch.filter(({ commit }) => endsSomething(commit.change));
      if (!(await options.met?.(error, again.length > 0))) return refuse(batch, error);
      refuse(
        batch.filter((each) => !again.includes(each)),
        error,
      );
      return store(again);
    }
    if (failing) log.info('The store takes changes again.');
    failing = false;
    for (const { commit, resolve } of batch) {
      lastLsn += 1;
      options.onDurable({ lsn: lastLsn, commit });
      resolve();
    }
    if (open && open.size >= options.segmentBytes) closeSegment();
    else if (open && open.size >= options.segmentBytes / 2) prepare();
  }

  /** False when the sync failed and the segment was abandoned. Throws when nothing could be written. */
  async function writeOnce(batch: Waiting[]): Promise<boolean> {
    open ??= await openSegment();
    const segment = open;
    const lines = batch.map(({ body }, index) => commitLine(body, lastLsn + 1 + index, lastLsn));
    if (segment.size === 0) lines.unshift(startLine(lastLsn));
    const bytes = Buffer.concat(lines);
    for (const { commit } of batch) if (commit.change.kind !== 'deleted') segment.sessions.add(commit.sessionId);
    const durable = options.durability === 'full';
    const failed = await appendBytes(files, segment, { bytes, durable });
    if (durable && failed?.during !== 'write') counts.syncs += 1;
    if (failed) {
      uncut ||= !failed.isTakenBack;
      if (failed.during === 'sync' || !failed.isTakenBack) closeSegment();
      if (failed.during === 'write' || isDiskFull(failed.error)) throw failed.error;
      log.error('The log could not be synced; going on in a new segment.', { code: systemCode(failed.error) });
      return false;
    }
    segment.size += bytes.length;
    segment.lastLsn = lastLsn + batch.length;
    bytesWritten += bytes.length;
    counts.batches += 1;
    counts.commits += batch.length;
    return true;
  }

  function refuse(batch: Waiting[], error: unknown): void {
    if (batch.length === 0) return;
    const code = systemCode(error) ?? 'unknown';
    if (!failing) log.error('The store cannot write; changes are refused until it can.', { code });
    failing = true;
    counts.failures += 1;
    const reason = uncut ? storeInDoubt(`the disk took it and failed then (${code})`) : notStored(code);
    for (const { reject } of batch) reject(reason);
  }

  async function openSegment(): Promise<OpenSegment> {
    const ready = await prepared;
    prepared = undefined;
    return ready ?? createSegment(files, directory, nextSegment++);
  }

  function prepare(): void {
    prepared ??= createSegment(files, directory, nextSegment++).catch(() => undefined);
  }

  function closeSegment(): void {
    if (!open) return;
    const { descriptor, number, sessions } = open;
    closed.push({ number, sessions, lastLsn });
    open = undefined;
    void files.close(descriptor).catch(() => undefined);
  }

  function finishRotations(): void {
    if (rotations.length === 0) return;
    if (open && open.size > 0) closeSegment();
    for (const resolve of rotations.splice(0)) resolve();
  }
}

/** Bounds how long one sync can take, and with it how long a small commit waits behind large ones. */
const largestBatch = 4 * 1024 * 1024;
