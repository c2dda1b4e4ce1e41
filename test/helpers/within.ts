/** The promise, or a rejection that says `what` was awaited when it has not settled after `ms`: no test waits without an end. */
export async function within<T>(ms: number, promise: Promise<T> | T, what = 'the awaited value'): Promise<T> {
  const late = new Error(`${what} did not come within ${ms} ms`);
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late), ms);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** Resolves as soon as `holds()` is true, looking every few milliseconds; rejects after `ms`. For state that no event announces. */
export async function eventually(ms: number, holds: () => boolean | Promise<boolean>, what = 'the condition') {
  const end = performance.now() + ms;
  const late = new Error(`${what} did not hold within ${ms} ms`);
  while (!(await holds())) {
    if (performance.now() > end) throw late;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
