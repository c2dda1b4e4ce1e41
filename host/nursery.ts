import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's nursery as large as the start has left it (some 8 MB). Left alone it grows to
 * four times that under the first burst and is not given back. Paced streams, the load it was tried on, were no slower.
 * A flag on Node's command line would do the same, but V8 takes compiled code only from a process with the same flags.
 */
export function keepNurserySmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Before compiled code is kept: it holds the flags of the moment. */
export function letNurseryGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
