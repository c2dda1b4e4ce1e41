/** What the threads of the system do for this one: files, look-ups, randomness. Timers and handles wait for something else. */
const underway = /Req|Job|Work|Random|Zlib/;

/**
 * Resolves when nothing goes on in this process by itself any more: no file operation, no look-up, nothing queued. What
 * waits for a clock, a gate or a worker thread does not count.
 */
export async function quiet(): Promise<void> {
  for (let calm = 0; calm < 4; ) {
    await new Promise((resolve) => setImmediate(resolve));
    calm = process.getActiveResourcesInfo().some((name) => underway.test(name)) ? 0 : calm + 1;
  }
}
