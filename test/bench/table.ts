import type { Row } from './metric.ts';
import { median, short, spread } from './stats.ts';
import type { Target } from './target.ts';

/** The values of every round, by row id. */
export interface Results {
  raw: Map<string, number[]>;
  ours: Map<string, number[]>;
}

/** One table: what was measured, both medians, the ratio, the goals and whether they are met, and how much rounds differ. */
export function printTable(rows: Row[], results: Results): void {
  const head = ['metric', 'unit', 'raw', 'ours', 'ratio', 'must', 'stretch', '', 'spread'];
  const body = rows
    .filter(({ id }) => results.raw.has(id) || results.ours.has(id))
    .map((row) =>
      cells(row, { raw: results.raw.get(row.rawRow ?? row.id) ?? [], ours: results.ours.get(row.id) ?? [] }),
    );
  const widths = head.map((title, at) => Math.max(title.length, ...body.map((line) => line[at]?.length ?? 0)));
  for (const line of [head, widths.map((width) => '-'.repeat(width)), ...body])
    console.log(
      line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  '),
    );
}

/** What a server wrote to stderr, each kind of line once with its count: a benchmark of failing requests proves nothing. */
export function printComplaints({ name, complaints }: Pick<Target, 'name' | 'complaints'>): void {
  const counts = new Map<string, number>();
  for (const line of complaints.join('').split('\n').filter(Boolean)) {
    const kind = line.replace(/^\S+T\S+Z /, '').replaceAll(/\b[a-z]{3}_[0-9A-Z]{26}\b/g, '…');
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const often = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 10);
  for (const [kind, count] of often) console.log(`${name} wrote ${count} times: ${kind}`);
}

function cells(row: Row, { raw, ours }: { raw: number[]; ours: number[] }): string[] {
  const [ourValue, rawValue] = [median(ours), median(raw)];
  const ratio = ourValue / rawValue;
  const judged = row.of === 'value' ? ourValue : ratio;
  const sign = row.good === 'low' ? '<=' : '>=';
  const suffix = row.of === 'value' ? '' : 'x';
  const goal = (limit: number | undefined) => (limit === undefined ? '' : `${sign} ${limit}${suffix}`);
  return [
    row.label,
    row.unit,
    short(rawValue),
    short(ourValue),
    Number.isNaN(ratio) ? '-' : `${short(ratio)}x`,
    goal(row.must),
    goal(row.stretch),
    verdict(row, judged),
    ours.length > 1 ? `${Math.round(spread(ours) * 100)}%` : '',
  ];
}

function verdict(row: Row, value: number): string {
  if (Number.isNaN(value) || row.must === undefined) return '';
  const meets = (limit: number) => (row.good === 'low' ? value <= limit : value >= limit);
  if (row.stretch !== undefined && meets(row.stretch)) return 'stretch';
  return meets(row.must) ? 'met' : 'MISSED';
}
