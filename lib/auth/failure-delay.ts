import type { Clock } from '../base/clock.ts';

/** Slows down whoever guesses credentials. The answer stays 401: the contract has no code for "too many attempts". */
export interface FailureDelay {
  /** Notes a failure of `ip` and resolves when its answer may leave: at once for the first 20 a minute. */
  failed(ip: string): Promise<void>;
}

const windowMs = 60_000;
const freeFailures = 20;
const leastDelayMs = 250;
const mostDelayMs = 2_000;
const mostWaiting = 100;
const mostAddresses = 10_000;

/** Memory: at most 10,000 addresses and 100 waiting answers; who comes on top of these is answered without a delay. */
export function createFailureDelay(clock: Clock): FailureDelay {
  const counts = new Map<string, { since: number; failures: number }>();
  let waiting = 0;

  function note(ip: string): number {
    const key = network(ip);
    const now = clock.monotonic();
    const known = counts.get(key);
    const entry = known !== undefined && now - known.since < windowMs ? known : { since: now, failures: 0 };
    entry.failures += 1;
    counts.delete(key);
    counts.set(key, entry);
    if (counts.size > mostAddresses) counts.delete(counts.keys().next().value ?? key);
    return entry.failures;
  }
  return {
    async failed(ip) {
      const excess = note(ip) - freeFailures;
      if (excess <= 0 || waiting >= mostWaiting) return;
      waiting += 1;
      const delay = Math.min(mostDelayMs, leastDelayMs * excess);
      await new Promise<void>((resolve) => clock.after(delay, resolve));
      waiting -= 1;
    },
  };
}

/** An IPv6 caller owns a whole /64, so that is what counts; an IPv4 caller one address. */
function network(ip: string): string {
  if (!ip.includes(':') || ip.includes('.')) return ip;
  const [head = '', tail] = ip.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
}
