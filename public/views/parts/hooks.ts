import { useEffect, useRef, useState } from 'preact/hooks';

/** The time, once a second while `active`; still otherwise. */
export function useNow(active: boolean, everyMs = 1_000): number {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    if (!active) return undefined;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
  return now;
}

export type Loaded<T> = { state: 'loading' } | { state: 'ready'; value: T } | { state: 'failed'; error: unknown };

/** What a request came to; asked again when `keys` change or `again` is called. The last answer stays while it loads. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): [Loaded<T>, () => void] {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'loading' });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const now = { current: true };
    load().then(
      (value) => now.current && setLoaded({ state: 'ready', value }),
      (error: unknown) => now.current && setLoaded({ state: 'failed', error }),
    );
    return () => {
      now.current = false;
    };
  }, [...keys, round]);
  return [loaded, () => setRound((value) => value + 1)];
}

/** Does one thing at a time: what is asked for while the one before is under way is dropped. The first is true meanwhile. */
export function useOnce(): [boolean, (work: () => unknown) => void] {
  const [busy, setBusy] = useState(false);
  const under = useRef(false);
  const mark = (now: boolean) => {
    under.current = now;
    setBusy(now);
  };
  const once = (work: () => unknown) => {
    if (under.current) return;
    const result = work();
    if (!(result instanceof Promise)) return;
    mark(true);
    void result.finally(() => mark(false));
  };
  return [busy, once];
}
