import { nextTurn } from '../base/next-turn.ts';
import type { FilePort } from './file-port.ts';
import { linesOf } from './log-reader.ts';
import { type LogLine, ownerAmong, ownerIn, parseLine, voidLine } from './log-record.ts';
import { type ClosedSegment, segmentPath } from './log-segment.ts';
import { replaceFile } from './replace-file.ts';

/**
 * Writes a closed segment anew with void records in place of those of deleted sessions; does nothing when it holds none.
 * The records that say that a session was deleted stay: they name nothing but its id.
 */
export async function rewriteSegment(
  files: FilePort,
  logDirectory: string,
  segment: ClosedSegment,
  gone: ReadonlySet<string>,
): Promise<void> {
  if (![...gone].some((id) => segment.sessions.has(id))) return;
  const path = segmentPath(logDirectory, segment.number);
  const bytes = await files.read(path);
  if (bytes) await replaceFile(files, path, rewritten(bytes, segment, gone));
  for (const id of gone) segment.sessions.delete(id);
}

async function* rewritten(
  bytes: Buffer,
  { lastLsn }: ClosedSegment,
  gone: ReadonlySet<string>,
): AsyncGenerator<Buffer> {
  let size = 0;
  let reached = 0;
  let kept: Buffer[] = [];
  for (const { line } of linesOf(bytes)) {
    const parsed = parseLine(line);
    if (parsed && parsed.kind !== 'start') reached = parsed.lsn;
    // What stands behind the last record that counts was never acknowledged.
    if (reached > lastLsn || (!parsed && reached === lastLsn)) break;
    const replacement = parsed ? withoutGone(line, parsed, gone) : damagedLine(line, gone);
    kept.push(...replacement);
    size += line.length;
    if (size < chunkBytes) continue;
    yield Buffer.concat(kept);
    await nextTurn();
    kept = [];
    size = 0;
  }
  yield Buffer.concat(kept);
}

function withoutGone(line: Buffer, parsed: LogLine, gone: ReadonlySet<string>): Buffer[] {
  const drop = parsed.kind === 'commit' && parsed.commit.change.kind !== 'deleted' && gone.has(parsed.commit.sessionId);
  return drop ? [voidLine(parsed.lsn, parsed.durable)] : [line, lineFeed];
}

/** A damaged line stays: it is what tells that its session is not whole. */
function damagedLine(line: Buffer, gone: ReadonlySet<string>): Buffer[] {
  return ownerAmong(gone, ownerIn(line)) === undefined ? [line, lineFeed] : [];
}

const lineFeed = Buffer.from('\n');
const chunkBytes = 256 * 1024;
