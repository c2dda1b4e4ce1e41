import type { Gauge, Registry } from 'prom-client';

/** One figure with its labels; `suffix` is what a histogram appends to its name (`_bucket`, `_sum`, `_count`). */
export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
  suffix?: string;
}

/** Everything that is told under one name, as it was counted anyway. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

/**
 * The Prometheus text format. Families without samples are left out. The library is loaded by the first call, so that nobody
 * pays for it who is never scraped; it gets the figures anew each time and keeps none.
 */
export async function prometheusText(families: readonly MetricFamily[]): Promise<string> {
  // A CommonJS library: once it is bundled its default export is all there is.
  const { Counter, Gauge, Registry } = (await import('prom-client')).default;
  const registry = new Registry();
  for (const family of families) {
    const { name, help, type, samples } = family;
    if (samples.length === 0) continue;
    if (type === 'histogram') {
      handOver(registry, family);
      continue;
    }
    const options = { name, help, labelNames: Object.keys(samples[0]?.labels ?? {}), registers: [registry] };
    if (type === 'counter') {
      const counter = new Counter(options);
      for (const { labels = {}, value } of samples) counter.inc(labels, value);
    } else {
      const gauge = new Gauge(options);
      for (const { labels = {}, value } of samples) gauge.set(labels, value);
    }
  }
  return registry.metrics();
}

/**
 * The library's own histograms take single observations only; ours are counted by bucket already. It asks for no more
 * than this.
 */
function handOver(registry: Registry, { name, help, type, samples }: MetricFamily): void {
  const values = samples.map(({ value, labels, suffix = '' }) => ({ value, labels, metricName: name + suffix }));
  const metric = { name, get: async () => ({ name, help, type, values, aggregator: 'sum' }) };
  registry.registerMetric(metric as unknown as Gauge);
}
