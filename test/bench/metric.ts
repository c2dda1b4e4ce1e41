import type { Running, Target } from './target.ts';

/** One line of the table. `must` and `stretch` are limits of the ratio to the yardstick unless `of` says otherwise. */
export interface Row {
  id: string;
  label: string;
  unit: string;
  /** Which direction is good. */
  good: 'low' | 'high';
  must?: number;
  stretch?: number;
  /** What the limits apply to: the ratio to the yardstick (default), or the value itself. */
  of?: 'ratio' | 'value';
  /** The target whose value is judged; default `ours`. */
  subject?: string;
  /** What the ratio is to; default: raw's value of the same row. */
  yardstick?: { target?: string; row?: string };
}

/** A cost over sizes. Its values have the ids `<id>@<point>`. It rises by: the last over the lowest of the others. */
export interface Curve {
  id: string;
  label: string;
  unit: string;
  points: number[];
  must?: number;
  stretch?: number;
}

export interface Scale {
  quick: boolean;
  /** The larger number, or the smaller one in a quick run. */
  pick(full: number, quick: number): number;
}

export interface MetricContext {
  target: Target;
  /** A process that earlier metrics have used too. */
  running: Running;
  /** Empty at first; goes with the round. */
  directory: string;
  scale: Scale;
}

/** One thing that is measured in a round: on a running process, or on processes of its own. */
export interface Metric {
  rows: Row[];
  curves?: Curve[];
  /** In the first round only: slow, and its point is the shape. */
  once?: boolean;
  /** Names of the targets that it applies to; default all. */
  targets?: string[];
  /** Measures what does not lose its state when killed or stopped. */
  needsMemory?: boolean;
  /** How long a target may take, default 60 s. */
  longestMs?: number;
  /** Returns one value per row id and point. What is left out does not apply to that target or scale. */
  measure(context: MetricContext): Promise<Record<string, number>>;
}
