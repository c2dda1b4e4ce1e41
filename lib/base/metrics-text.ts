/** One figure with its labels; `suffix` is what a histogram appends to its name (`_bucket`, `_sum`, `_count`). */
export interface Sample {
  value: number;
  labels?: Readonly<Record<string, string>>;
  suffix?: string;
}

/** Everything that is told under one name. */
export interface MetricFamily {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  samples: readonly Sample[];
}

/** The Prometheus text format, version 0.0.4. Families without samples are left out. */
export function metricsText(families: readonly MetricFamily[]): string {
  return families
    .filter(({ samples }) => samples.length > 0)
    .map(({ name, help, type, samples }) => {
      const lines = samples.map(({ value, labels, suffix = '' }) => `${name}${suffix}${labelText(labels)} ${value}\n`);
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`;
    })
    .join('');
}

function labelText(labels: Sample['labels'] = {}): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
