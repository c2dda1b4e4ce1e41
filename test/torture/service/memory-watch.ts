import type { RunningService } from '../../helpers/running-service.ts';
import { type Trend, trendOf } from './linear-trend.ts';
import { type MemorySample, takeSample } from './memory-samples.ts';
import { megabytes } from './process-figures.ts';

/** A sample, and how long after the first one it was taken: milliseconds. */
export type TimedSample = MemorySample & { at: number };

export interface MemoryVerdict {
  /** What rose for certain by more than it may, as sentences. */
  leaks: string[];
  figures: Record<string, string>;
}

const mebibyte = 1024 * 1024;
const hour = 3_600_000;

/** Code is compiled, caches and the buffer of events fill up: the first third, this long at least. */
const warmUpMs = 45_000;
/** What happens in less says nothing about an hour. */
const shortestMs = 75_000;

/**
 * What may be added in an hour, by kind, and what may be added once on top: for minutes a runtime goes on compiling and
 * keeps pages, ever less of it. A leak is what goes on, so that the allowance matters less the longer a run is.
 */
const kinds = {
  held: { what: 'memory that is held', unit: 'MiB', scale: mebibyte, bound: 4, once: 4, of: held },
  rss: {
    what: 'resident memory',
    unit: 'MiB',
    scale: mebibyte,
    bound: 16,
    once: 16,
    of: ({ rss }: MemorySample) => rss,
  },
  fds: {
    what: 'the number of descriptors',
    unit: '',
    scale: 1,
    bound: 10,
    once: 10,
    of: ({ descriptors }: MemorySample) => descriptors,
  },
} as const;

/** Takes samples of a service, evenly over `ms`. */
export async function watchMemory(service: RunningService, ms: number): Promise<TimedSample[]> {
  const everyMs = Math.min(15_000, Math.max(1_000, ms / 200));
  const started = performance.now();
  const samples: TimedSample[] = [];
  for (let at = 0; at < ms; at = samples.length * everyMs) {
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, started + at - performance.now())));
    samples.push({ ...(await takeSample(service)), at: performance.now() - started });
  }
  return samples;
}

/** What the samples of one life say. Fewer than three minutes of it tell no slope. */
export function judgeMemory(samples: readonly TimedSample[]): MemoryVerdict {
  const end = samples.at(-1)?.at ?? 0;
  const warm = samples.filter(({ at }) => at >= Math.max(warmUpMs, end / 3));
  const windowMs = end - (warm[0]?.at ?? end);
  const last = warm.at(-1) ?? samples.at(-1);
  const level = last
    ? { held: megabytes(held(last)), rss: megabytes(last.rss), fds: `${last.descriptors}` }
    : undefined;
  const leaks: string[] = [];
  const figures: Record<string, string> = {};
  for (const kind of ['held', 'rss', 'fds'] as const) {
    const { what, unit, scale, bound, once, of } = kinds[kind];
    const trend = windowMs < shortestMs ? undefined : trendOf(warm.map((sample) => [sample.at, of(sample)]));
    const told = trend && perHour(trend, scale, unit);
    figures[kind] = `${level?.[kind] ?? 'no sample'}, ${told ?? 'too short for a slope'}`;
    const added = trend ? ((trend.slope - trend.margin) * windowMs) / scale : 0;
    if (added > once + (bound * windowMs) / hour)
      leaks.push(`${what} grows by ${told}, ${bound} are allowed and ${once} once`);
  }
  if (windowMs >= shortestMs) figures.window = `${Math.round(windowMs / 1000)} s`;
  return { leaks, figures };
}

/** What is still referred to once all garbage is gone. */
function held({ heapUsed, external }: MemorySample): number {
  return heapUsed + external;
}

function perHour({ slope, margin }: Trend, scale: number, unit: string): string {
  const [change, off] = [slope, margin].map((each) => ((each * hour) / scale).toFixed(1));
  return `${Number(change) < 0 ? '' : '+'}${change} ± ${off}${unit && ` ${unit}`}/h`;
}
