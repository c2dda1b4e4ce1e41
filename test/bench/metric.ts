import type { Running, Target } from './target.ts';

/** One line of the table. Ratios are ours to raw; `must` and `stretch` are limits of the ratio unless `of` says otherwise. */
export interface Row {
  id: string;
  label: string;
  unit: string;
  /** Which direction is good. */
  good: 'low' | 'high';
  must?: number;
  stretch?: number;
  /** What the limits apply to: the ratio to raw (default), or our own value. */
  of?: 'ratio' | 'value';
  /** Compare with raw's value of another row. */
  rawRow?: string;
}

export interface Scale {
  quick: boolean;
  /** The larger number, or the smaller one in a quick run. */
  pick(full: number, quick: number): number;
}

/** One thing that is measured in a round: on a running process, or on processes of its own. */
export interface Metric {
  rows: Row[];
  /** Returns one value per row id. A row may be left out (it does not apply to that target or scale). */
  measure(context: {
    target: Target;
    running: Running;
    directory: string;
    scale: Scale;
  }): Promise<Record<string, number>>;
}
