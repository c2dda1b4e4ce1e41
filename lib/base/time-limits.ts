import type { Clock } from './clock.ts';

/** What `work` comes to, or a rejection with `late` when that takes longer than `ms`; the work itself goes on. */
export async function withinTime<T>(
  clock: Pick<Clock, 'after'>,
  ms: number,
  { work, late }: { work: Promise<T>; late: () => Error },
): Promise<T> {
  let cancel = (): void => {};
  const over = new Promise<never>((_, reject) => {
    cancel = clock.after(ms, () => reject(late()));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    cancel();
  }
}

/** Waits until `work` has settled, however, but no longer than `ms`; false when it had not. Never rejects. */
export function settledWithin(clock: Pick<Clock, 'after'>, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = clock.after(ms, () => resolve(false));
    const settled = (): void => {
      cancel();
      resolve(true);
    };
    work.then(settled, settled);
  });
}
