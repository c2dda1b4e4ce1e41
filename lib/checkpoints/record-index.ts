import { join } from 'node:path';
import type { Checkpoint } from '../wire/checkpoint.ts';

/** A checkpoint as the index of a repository keeps it: with the git tree, so that a restore need not read the commit. */
export interface StoredCheckpoint extends Checkpoint {
  tree: string;
}

/** The side index of a repository: what git has no place for. Oldest record first. */
export interface RecordIndex {
  version: 1;
  tenantId: string;
  workspace: string;
  /** What the objects take on disk. */
  bytes: number;
  /** Records were dropped and their objects not yet collected. */
  sweep: boolean;
  records: StoredCheckpoint[];
}

export const indexPath = (gitDirectory: string): string => join(gitDirectory, 'service', 'index.json');
export const extrasPath = (gitDirectory: string, id: string): string =>
  join(gitDirectory, 'service', 'extras', `${id}.json`);
export const statCachePath = (gitDirectory: string): string => join(gitDirectory, 'service', 'stat.json');

/** Undefined when there is none. Throws when it is not an index: then nothing here may be overwritten. */
export function parseIndex(text: string | undefined): RecordIndex | undefined {
  if (text === undefined) return undefined;
  const index: Partial<RecordIndex> = JSON.parse(text);
  if (index.version !== 1 || !Array.isArray(index.records))
    throw new Error('The index of the checkpoints is not readable.');
  return index as RecordIndex;
}

/** The record as the contract shows it. */
export function toCheckpoint({ tree: _, ...checkpoint }: StoredCheckpoint): Checkpoint {
  return checkpoint;
}
