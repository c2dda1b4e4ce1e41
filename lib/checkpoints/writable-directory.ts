import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { systemCode } from '../base/caught.ts';
import type { Clock } from '../base/clock.ts';

/** A directory that was writable is not asked again for so long. */
const writableMs = 2_000;

/** Says why the directory of the checkpoints can't be written, which is made if need be; undefined when it can. */
export function createWritableDirectory(
  directory: string,
  clock: Pick<Clock, 'monotonic'>,
): () => Promise<string | undefined> {
  let writableUntil = Number.NEGATIVE_INFINITY;
  return async () => {
    if (clock.monotonic() < writableUntil) return undefined;
    try {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      await access(directory, constants.W_OK);
      writableUntil = clock.monotonic() + writableMs;
      return undefined;
    } catch (error) {
      return `The directory of the checkpoints can't be written (${systemCode(error)}).`;
    }
  };
}
