import { once } from 'node:events';
import { createWriteStream, realpathSync, statSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { messageOf } from '../../lib/base/caught.ts';
import { exitError } from '../exit-error.ts';

/** Where an export goes. Every failure is an error with exit code 74 that says so. */
export interface ExportOutput {
  /** Resolves when more can be taken. */
  write(text: string): Promise<void>;
  /** Everything is written; a file takes its place. */
  finish(): Promise<void>;
  /** Leaves nothing of what was not finished. */
  discard(): Promise<void>;
}

/**
 * A file is written beside its place, a link stays and what it points to is replaced; a device or a pipe, and standard output
 * without a path, are written as they are.
 */
export function openExportOutput(file: string | undefined): ExportOutput {
  const place = file === undefined ? undefined : withoutLinks(file);
  const unfinished = place !== undefined && isReplaceable(place) ? `${place}.unfinished` : undefined;
  const path = unfinished ?? place;
  const stream: Writable =
    path === undefined ? process.stdout : createWriteStream(path, { mode: 0o600, flush: unfinished !== undefined });
  let failure: unknown;
  stream.on('error', (error) => {
    failure ??= error;
  });
  const told = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      if (failure === undefined) await work();
    } catch (error) {
      failure ??= error;
    }
    if (failure !== undefined)
      throw exitError(`The export can't be written to ${file ?? 'standard output'}: ${messageOf(failure)}.`, 74);
  };
  return {
    write: (text) => told(async () => stream.write(text) || (await once(stream, 'drain'))),
    finish: () =>
      told(async () => {
        if (path === undefined) return flush(stream);
        stream.end();
        await finished(stream);
        if (place !== undefined && unfinished !== undefined) await rename(unfinished, place);
      }),
    async discard() {
      if (unfinished !== undefined) await rm(unfinished, { force: true });
    },
  };
}

function withoutLinks(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}

/** What is no regular file must not be replaced by one: `/dev/null` for one. */
function isReplaceable(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    // Not there, or not to be seen: then writing it tells why.
    return true;
  }
}

function flush(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write('', (error) => (error ? reject(error) : resolve()));
  });
}
