import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's nursery as large as the start has left it (some 8 MB). Left alone it doubles under the first burst, four times as
 * much that no later load needs and that is never given back; measured, nothing was slower.
 * A flag on Node's command line would do the same, but V8 takes compiled code only from a process with the same flags.
 */
export function keepNurserySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Before compiled code is kept: it holds the flags of the moment. */
export function letNurseryGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
