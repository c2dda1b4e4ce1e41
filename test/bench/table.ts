import type { Curve, Row } from './metric.ts';
import { median, short, spread } from './stats.ts';

/** The targets that the goals of curves are for. */
const judged = ['ours', 'sql'];

/** The values of every round, by target and row id. */
export type Results = Map<string, Map<string, number[]>>;

/**
 * One table: what was measured, the medians, the ratio, the goals and whether they are met, how much rounds differ; then
 * every further target with its ratio to raw.
 */
export function printTable(rows: Row[], results: Results): void {
  const others = [...results.keys()].filter((name) => name !== 'raw' && name !== 'ours');
  const head = ['metric', 'unit', 'raw', 'ours', 'ratio', 'must', 'stretch', 'goal', 'spread'];
  const shown = rows.filter(({ id }) => [...results.values()].some((values) => values.has(id)));
  print(
    [...head, ...others.flatMap((name) => [name, 'ratio'])],
    shown.map((row) => [...cells(row, results), ...others.flatMap((name) => otherCells(row, results, name))]),
  );
}

/** A line per curve and target: the cost at each size, and by how much the last is over the lowest before. */
export function printCurves(curves: Curve[], results: Results): void {
  for (const curve of curves) {
    const lines = [...results].flatMap(([name, values]) => {
      const costs = curve.points.map((point) => median(values.get(`${curve.id}@${point}`) ?? []));
      return costs.every(Number.isNaN) ? [] : [[name, ...costs.map(short), ...riseCells(curve, name, costs)]];
    });
    if (lines.length === 0) continue;
    console.log(`\n${curve.label}, ${curve.unit}`);
    print(['', ...curve.points.map((point) => point.toLocaleString('en')), 'rise', 'must', 'stretch', 'goal'], lines);
  }
}

/** First column to the left, everything else to the right. */
export function print(head: string[], body: string[][]): void {
  const widths = head.map((title, at) => Math.max(title.length, ...body.map((line) => line[at]?.length ?? 0)));
  for (const line of [head, widths.map((width) => '-'.repeat(width)), ...body])
    console.log(
      line
        .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
        .join('  ')
        .trimEnd(),
    );
}

/** Whether the goals are met; empty when there is none or nothing was measured. */
export function verdict({ good, must, stretch }: Pick<Row, 'good' | 'must' | 'stretch'>, value: number): string {
  if (Number.isNaN(value) || must === undefined) return '';
  const meets = (limit: number) => (good === 'low' ? value <= limit : value >= limit);
  if (stretch !== undefined && meets(stretch)) return 'stretch';
  return meets(must) ? 'met' : 'MISSED';
}

/** What a server wrote to stderr, each kind of line once with its count: a benchmark of failing requests proves nothing. */
export function printComplaints({ name, complaints }: { name: string; complaints: string[] }): void {
  const counts = new Map<string, number>();
  for (const line of complaints.join('').split('\n').filter(Boolean)) {
    const kind = line.replace(/^\S+T\S+Z /, '').replaceAll(/\b[a-z]{3}_[0-9A-Z]{26}\b/g, '…');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const often = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 10);
  for (const [kind, count] of often) console.log(`${name} wrote ${count} times: ${kind}`);
}

/** The verdict on the row's subject; a miss says so when the floor, which nobody can be under, misses too. */
export function goalOf(row: Row, results: Results): string {
  const { subject = 'ours', yardstick = {} } = row;
  const rule = median(results.get(yardstick.target ?? 'raw')?.get(yardstick.row ?? row.id) ?? []);
  const verdictOn = (name: string): string => {
    const value = median(results.get(name)?.get(row.id) ?? []);
    return verdict(row, row.of === 'value' ? value : value / rule);
  };
  const own = verdictOn(subject);
  return own === 'MISSED' && verdictOn('floor') === 'MISSED' ? 'MISSED, floor too' : own;
}

function cells(row: Row, results: Results): string[] {
  const { subject = 'ours', yardstick = {} } = row;
  const values = results.get(subject)?.get(row.id) ?? [];
  const value = median(values);
  const rule = median(results.get(yardstick.target ?? 'raw')?.get(yardstick.row ?? row.id) ?? []);
  const ratio = value / rule;
  const sign = row.good === 'low' ? '<=' : '>=';
  const goal = (limit: number | undefined) =>
    limit === undefined ? '' : `${sign} ${limit}${row.of === 'value' ? '' : 'x'}`;
  return [
    row.label,
    row.unit,
    short(rule),
    short(median(results.get('ours')?.get(row.id) ?? [])),
    Number.isFinite(ratio) ? `${short(ratio)}x` : '-',
    goal(row.must),
    goal(row.stretch),
    goalOf(row, results),
    values.length > 1 ? `${Math.round(spread(values) * 100)}%` : '',
  ];
}

function otherCells(row: Row, results: Results, name: string): string[] {
  const value = median(results.get(name)?.get(row.id) ?? []);
  const ratio = value / median(results.get('raw')?.get(row.id) ?? []);
  return [short(value), Number.isFinite(ratio) ? `${short(ratio)}x` : '-'];
}

function riseCells({ must, stretch }: Curve, name: string, costs: number[]): string[] {
  const known = costs.filter((cost) => !Number.isNaN(cost));
  const rise = (known.at(-1) ?? Number.NaN) / Math.min(...known.slice(0, -1));
  const shown = Number.isFinite(rise) ? `${short(rise)}x` : '-';
  if (!judged.includes(name) || must === undefined) return [shown, '', '', ''];
  const goals = [must, stretch].map((limit) => (limit === undefined ? '' : `<= ${limit}x`));
  return [shown, ...goals, verdict({ good: 'low', must, ...(stretch !== undefined && { stretch }) }, rise)];
}
