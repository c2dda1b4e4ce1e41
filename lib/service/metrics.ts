import type { App } from '../app.ts';
import { callSeconds, type RunMeter } from '../run/run-meter.ts';
import type { StoreTrouble } from '../store/session-store.ts';
import { type MetricFamily, prometheusText, type Sample } from './prometheus-text.ts';

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export interface Metrics {
  /** All figures as of now, in the Prometheus text format. Looks at nothing that grows with the number of sessions. */
  text(): Promise<string>;
}

type Watched = Pick<App, 'version' | 'runs' | 'approvals' | 'events' | 'sessions' | 'store'> & { meter: RunMeter };

/** Reads what is counted anyway; nothing is computed before somebody asks. `host` tells about the process. */
export function createMetrics(app: Watched, host: () => Promise<MetricFamily[]>): Metrics {
  return {
    text: async () =>
      prometheusText([...serviceFigures(app), ...runFigures(app), ...storeFigures(app), ...(await host())]),
  };
}

function serviceFigures({ version, sessions, events }: Watched): MetricFamily[] {
  const { published, buffered, bufferedCharacters, subscribers, slowestBehind } = events.figures();
  return [
    gauge('service_info', 'The running version.', [{ value: 1, labels: { version } }]),
    gauge('service_sessions', 'Sessions of all tenants.', sessions.size),
    gauge('service_stream_clients', 'Open event streams.', subscribers),
    counter('service_events_total', 'Events published.', published),
    gauge('service_event_buffer_events', 'Events kept for replay.', buffered),
    gauge('service_event_buffer_characters', 'Size of the events kept for replay.', bufferedCharacters),
    gauge('service_event_lag_events', 'Events that the slowest open stream has not taken yet.', slowestBehind),
  ];
}

function runFigures({ meter, runs, approvals }: Watched): MetricFamily[] {
  const ends = Array.from(meter.runs, ([status, value]) => ({ value, labels: { status } }));
  const calls = Array.from(meter.calls, ([outcome, value]) => ({ value, labels: { outcome } }));
  return [
    gauge('service_runs_active', 'Runs in progress.', runs.active),
    counter('service_runs_total', 'Runs that ended, by how.', ends),
    counter('service_steps_total', 'Steps of runs: one model call and the tools it asked for.', meter.steps),
    counter('service_tokens_total', 'Tokens as providers reported them.', [
      { value: meter.tokens.input, labels: { direction: 'input' } },
      { value: meter.tokens.output, labels: { direction: 'output' } },
    ]),
    counter('service_model_calls_total', 'Attempts of model calls, by outcome.', calls),
    counter('service_model_retries_total', 'Model calls that were tried again.', meter.retries),
    {
      name: 'service_model_call_seconds',
      help: 'How long attempts of model calls took, by provider.',
      type: 'histogram',
      samples: [...meter.times].flatMap(([provider, { buckets, seconds }]) => histogram(provider, buckets, seconds)),
    },
    gauge('service_approvals_waiting', 'Tool calls that wait for a person.', approvals.pending().length),
  ];
}

function storeFigures({ store }: Watched): MetricFamily[] {
  const trouble = store.trouble?.();
  const reasons: StoreTrouble[] = ['full', 'read-only', 'unavailable'];
  const refusing = reasons.map((reason) => ({ value: reason === trouble ? 1 : 0, labels: { reason } }));
  const why = gauge('service_storage_trouble', 'Changes are refused: 1 for the reason that holds.', refusing);
  const figures = store.figures?.();
  if (!figures) return [why];
  const { commits, batches, syncs, bytes, failures } = figures;
  return [
    why,
    counter('service_log_commits_total', 'Changes that became durable.', commits),
    counter('service_log_batches_total', 'Writes that carried them.', batches),
    counter('service_log_syncs_total', 'Syncs of the log.', syncs),
    counter('service_log_bytes_total', 'Bytes written to the log.', bytes),
    counter('service_log_failures_total', 'Batches that could not be stored.', failures),
  ];
}

function histogram(provider: string, buckets: readonly number[], seconds: number): Sample[] {
  let count = 0;
  const cumulative = buckets.map((inBucket, index) => {
    count += inBucket;
    return { value: count, labels: { provider, le: String(callSeconds[index] ?? '+Inf') }, suffix: '_bucket' };
  });
  const labels = { provider };
  return [...cumulative, { value: seconds, labels, suffix: '_sum' }, { value: count, labels, suffix: '_count' }];
}

function gauge(name: string, help: string, value: number | Sample[]): MetricFamily {
  return { name, help, type: 'gauge', samples: typeof value === 'number' ? [{ value }] : value };
}

function counter(name: string, help: string, value: number | Sample[]): MetricFamily {
  return { ...gauge(name, help, value), type: 'counter' };
}
