import type { Usage } from '../wire/usage.ts';

export type CallOutcome = 'ok' | 'failed' | 'stopped';

/** Calls of one provider: how many took up to each of {@link callSeconds}, how long all of them took. */
export interface CallTimes {
  /** One count per bound of {@link callSeconds}, then those that took longer. Not cumulative. */
  readonly buckets: number[];
  seconds: number;
}

/** Upper bounds in seconds: a first token is a matter of tenths, a long reply one of minutes. */
export const callSeconds: readonly number[] = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

/** What runs came to since the process started. Counting is an addition per event of a run, never one per delta. */
export interface RunMeter {
  readonly runs: ReadonlyMap<string, number>;
  readonly calls: ReadonlyMap<CallOutcome, number>;
  readonly times: ReadonlyMap<string, CallTimes>;
  readonly tokens: { readonly input: number; readonly output: number };
  readonly steps: number;
  readonly retries: number;
  runEnded(status: string): void;
  step(): void;
  retry(): void;
  /** One attempt of a model call, however it ended. */
  call(provider: string, outcome: CallOutcome, milliseconds: number): void;
  used(usage: Usage): void;
}

export function createRunMeter(): RunMeter {
  // Known from the start, so that the first of a kind is seen as an increase.
  const runs = new Map(['completed', 'max_steps', 'cancelled', 'interrupted', 'failed'].map((status) => [status, 0]));
  const calls = new Map<CallOutcome, number>([
    ['ok', 0],
    ['failed', 0],
    ['stopped', 0],
  ]);
  const times = new Map<string, CallTimes>();
  const tokens = { input: 0, output: 0 };
  const meter = { runs, calls, times, tokens, steps: 0, retries: 0 };
  return Object.assign(meter, {
    runEnded: (status: string) => add(runs, status),
    step: () => void meter.steps++,
    retry: () => void meter.retries++,
    call(provider: string, outcome: CallOutcome, milliseconds: number) {
      add(calls, outcome);
      const seconds = milliseconds / 1000;
      const of = times.get(provider) ?? { buckets: new Array<number>(callSeconds.length + 1).fill(0), seconds: 0 };
      const at = callSeconds.findIndex((bound) => seconds <= bound);
      const bucket = at < 0 ? callSeconds.length : at;
      of.buckets[bucket] = (of.buckets[bucket] ?? 0) + 1;
      of.seconds += seconds;
      times.set(provider, of);
    },
    used({ inputTokens, outputTokens }: Usage) {
      tokens.input += inputTokens;
      tokens.output += outputTokens;
    },
  });
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
