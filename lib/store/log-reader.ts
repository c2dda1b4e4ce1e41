import type { FilePort } from './file-port.ts';
import { type LogLine, type OwnerTrace, ownerIn, parseLine, recordStartsIn } from './log-record.ts';
import { listSegments, segmentPath } from './log-segment.ts';

/** A line that is not what was written. */
export interface DamagedLine {
  kind: 'damaged';
  owner: OwnerTrace;
  /** The lsn that is missing because of it, at least. */
  expected: number;
}

export type ReplayItem = Extract<LogLine, { kind: 'commit' | 'void' }> | DamagedLine;

export interface ReadSegment {
  number: number;
  items: ReplayItem[];
  lastLsn: number;
}

export interface ReadLog {
  /** What counts, in order; torn tails and void records are left out already. */
  segments: ReadSegment[];
  lastLsn: number;
  /** Segments that end (or are nothing but) a torn write, and where to cut them. */
  cuts: { number: number; at: number }[];
  /** Segments with records that nothing proves to be synced: a process that was killed may have left them in memory only. */
  unproven: number[];
}

interface ScannedLine {
  at: number;
  line: Exclude<LogLine, { kind: 'start' }> | { kind: 'damaged'; owner: OwnerTrace };
  /** The highest lsn that anything behind this line proves to have been durable. */
  proof: number;
}

interface ScannedSegment {
  number: number;
  after: number | undefined;
  /** All of it arrived: no sector is missing, and the last record has its end. */
  complete: boolean;
  lines: ScannedLine[];
}

export interface Known {
  /** The highest lsn that the index or a snapshot holds, so certainly was durable. */
  known: number;
  /** The first lsn that is of use: with no segment left, what is torn begins there. */
  needed: number;
}

/** Reads the whole log. Costs as much memory as the log is long; it is as long as the snapshots are behind. */
export async function readLog(files: FilePort, logDirectory: string, { known, needed }: Known): Promise<ReadLog> {
  const scanned: ScannedSegment[] = [];
  for (const number of await listSegments(files, logDirectory)) {
    const bytes = await files.read(segmentPath(logDirectory, number));
    if (bytes) scanned.push(scan(number, bytes));
  }
  const proof = prove(scanned, known);
  const log = decide(scanned, needed);
  return { ...log, unproven: log.segments.filter(({ lastLsn }) => lastLsn > proof).map(({ number }) => number) };
}

/** The lines of a segment, each with its offset and its end. A line whose line feed was lost is taken apart. */
export function* linesOf(bytes: Buffer): Generator<{ at: number; line: Buffer }> {
  for (let at = 0; at < bytes.length; ) {
    const feed = bytes.indexOf(lineFeed, at);
    const end = feed < 0 ? bytes.length : feed;
    const line = feed < 0 ? lastLine(bytes.subarray(at)) : bytes.subarray(at, end);
    const starts = parseLine(line) ? [] : recordStartsIn(line);
    let from = 0;
    for (const start of [...starts, line.length]) {
      yield { at: at + from, line: line.subarray(from, start) };
      from = start;
    }
    at = end + 1;
  }
}

/** A record that arrived whole counts, whatever stands where its line feed was. */
function lastLine(line: Buffer): Buffer {
  const withoutEnd = line.subarray(0, -1);
  return parseLine(withoutEnd) ? withoutEnd : line;
}

function scan(number: number, bytes: Buffer): ScannedSegment {
  const segment: ScannedSegment = { number, after: undefined, complete: bytes.at(-1) === lineFeed, lines: [] };
  for (const { at, line } of linesOf(bytes)) {
    const parsed = parseLine(line);
    if (!parsed && lacksSector(line, at)) segment.complete = false;
    if (parsed?.kind === 'start') segment.after = parsed.after;
    else segment.lines.push({ at, line: parsed ?? { kind: 'damaged', owner: ownerIn(line) }, proof: 0 });
  }
  return segment;
}

/** A sector that never arrived reads as NULs, which records don't hold: from its border (or that of the line) to its other one. */
function lacksSector(line: Buffer, at: number): boolean {
  for (let from = line.indexOf(0); from >= 0; ) {
    let to = from;
    while (line[to] === 0) to += 1;
    if ((from === 0 || (at + from) % sectorBytes === 0) && (at + to) % sectorBytes === 0) return true;
    from = line.indexOf(0, to);
  }
  return false;
}

/** The highest lsn that anything proves to have been durable. */
function prove(segments: ScannedSegment[], known: number): number {
  let proof = known;
  for (const segment of segments.toReversed()) {
    for (const scanned of segment.lines.toReversed()) {
      scanned.proof = proof;
      if (scanned.line.kind !== 'damaged') proof = Math.max(proof, scanned.line.durable);
    }
    proof = Math.max(proof, segment.after ?? 0);
  }
  return proof;
}

/** Tells damage (a record that was acknowledged) from a torn write (one that never was) and from void records. */
function decide(scanned: ScannedSegment[], needed: number): Omit<ReadLog, 'unproven'> {
  const result: Omit<ReadLog, 'unproven'> = { segments: [], lastLsn: 0, cuts: [] };
  const lastStarted = scanned.findLastIndex((segment) => segment.after !== undefined);
  const least = lastStarted < 0 ? needed : 1;
  scanned.forEach(({ number, after, complete, lines }, index) => {
    const limit = Math.min(...scanned.slice(index + 1).map((later) => later.after ?? Number.POSITIVE_INFINITY));
    const segment: ReadSegment = { number, items: [], lastLsn: 0 };
    result.segments.push(segment);
    result.lastLsn = Math.max(result.lastLsn, after ?? 0);
    for (const { at, line, proof } of lines) {
      const expected = result.lastLsn + 1;
      if (line.kind !== 'damaged') {
        if (line.lsn > limit || line.lsn < expected) continue;
        dropHarmless(result.segments, line.lsn);
        segment.items.push(line);
        segment.lastLsn = line.lsn;
        result.lastLsn = line.lsn;
      } else if (proof >= Math.max(expected, least) || (complete && expected <= limit && index >= lastStarted)) {
        segment.items.push({ ...line, expected: Math.max(expected, least) });
      } else if (index >= lastStarted) {
        result.cuts.push({ number, at });
        return;
      }
    }
    if (segment.items.at(-1)?.kind === 'damaged' && index >= lastStarted) {
      // Its number is taken: what comes next must not look as if nothing had been here.
      result.lastLsn += 1;
      segment.lastLsn = result.lastLsn;
    }
  });
  return result;
}

/** Takes back damaged lines that turn out to stand for no record: the one that they were taken for follows. */
function dropHarmless(segments: ReadSegment[], lsn: number): void {
  for (const { items } of segments.toReversed()) {
    for (let last = items.at(-1); last?.kind === 'damaged' && last.expected >= lsn; last = items.at(-1)) items.pop();
    if (items.length > 0) return;
  }
}

const lineFeed = 0x0a;
const sectorBytes = 512;
