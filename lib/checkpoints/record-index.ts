import { join } from 'node:path';
import type { Checkpoint } from '../wire/checkpoint.ts';

/** A checkpoint as the index of a repository keeps it: with the git tree, so that a restore need not read the commit. */
export interface StoredCheckpoint extends Checkpoint {
  tree: string;
  /** The checkpoint whose extras hold for this one too; absent when it has its own. */
  extrasOf?: string;
}

/** The side index of a repository: what git has no place for. Oldest record first. */
export interface RecordIndex {
  version: 1;
  tenantId: string;
  workspace: string;
  /** Counts the times the index was written whole; lines of {@link recentPath} from another time are void. */
  generation: number;
  /** What the objects take on disk. */
  bytes: number;
  /** Records were dropped and their objects not yet collected. */
  sweep: boolean;
  records: StoredCheckpoint[];
}

/** The records as a whole: {@link RecordIndex} as JSON. */
export const indexPath = (gitDirectory: string): string => join(gitDirectory, 'service', 'index.json');
/** The records since the index was last written whole, one JSON line each: a checkpoint costs one line, not the list. */
export const recentPath = (gitDirectory: string): string => join(gitDirectory, 'service', 'recent.jsonl');
/** What git cannot say of one checkpoint: `SnapshotExtras` as JSON. */
export const extrasPath = (gitDirectory: string, id: string): string =>
  join(gitDirectory, 'service', 'extras', `${id}.json`);
/** Where things lie until they are complete: objects, packs, the next content of a file. */
export const incomingPath = (gitDirectory: string): string => join(gitDirectory, 'incoming');
/** The stat data of the last walk; a cache. */
export const statCachePath = (gitDirectory: string): string => join(gitDirectory, 'service', 'stat.json');

/** Undefined when there is none. Throws when it is not an index: then nothing here may be overwritten. */
export function parseIndex(text: string | undefined): RecordIndex | undefined {
  if (text === undefined) return undefined;
  const index: Partial<RecordIndex> = JSON.parse(text);
  if (index.version !== 1 || !Array.isArray(index.records))
    throw new Error('The index of the checkpoints is not readable.');
  return { ...index, generation: index.generation ?? 0 } as RecordIndex;
}

/** The line of {@link recentPath} that adds a record, with its end. */
export function recentLine(index: RecordIndex, record: StoredCheckpoint): string {
  return `${JSON.stringify({ generation: index.generation, bytes: index.bytes, record })}\n`;
}

/** Adds the records of the recent lines; what a crash left half-written ends them. Mutates and returns `index`. */
export function joinRecent(index: RecordIndex, text: string | undefined): RecordIndex {
  const known = new Set(index.records.map(({ id }) => id));
  for (const line of text?.split('\n') ?? []) {
    const recent = parseLine(line);
    if (!recent) break;
    if (recent.generation !== index.generation || known.has(recent.record.id)) continue;
    known.add(recent.record.id);
    index.records.push(recent.record);
    index.bytes = recent.bytes;
  }
  return index;
}

/** False when a crash left a line half-written: nothing may be added behind it, because nobody would read it. */
export function isWholeRecent(text: string | undefined): boolean {
  if (text === undefined || text === '') return true;
  return text.endsWith('\n') && text.slice(0, -1).split('\n').every(parseLine);
}

function parseLine(line: string): { generation: number; bytes: number; record: StoredCheckpoint } | undefined {
  try {
    return line === '' ? undefined : JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The record as the contract shows it. */
export function toCheckpoint({ tree: _, extrasOf: __, ...checkpoint }: StoredCheckpoint): Checkpoint {
  return checkpoint;
}
