import { isClean, type Outcome } from './run-trial.ts';

/** What was run and what became of it; below it how to see each failure again. */
export function tableOf(outcomes: readonly Outcome[]): string[] {
  const head = ['trial', 'cycles', 'acknowledged', 'lost', 'violations', 'seed', 'seconds', 'figures'];
  const lines = [head, ...outcomes.map(cells)];
  const widths = head.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  const isText = (at: number): boolean => at === 0 || at === head.length - 1;
  const format = (line: string[]): string =>
    line.map((cell, at) => (isText(at) ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join('  ');
  const [first = head, ...rest] = lines;
  return [
    format(first),
    widths.map((width) => '-'.repeat(width)).join('  '),
    ...rest.map((line) => format(line).trimEnd()),
    ...outcomes.filter((outcome) => !isClean(outcome)).map(againOf),
  ];
}

function cells({ trial, seed, seconds, result }: Outcome): string[] {
  if (result.skipped !== undefined) return [trial.name, '', '', '', '', '', '', `SKIPPED ${result.skipped}`];
  const figures = Object.entries(result.figures ?? {}).map(([name, value]) => `${name} ${value}`);
  const counts = [result.cycles, result.acknowledged, result.lost, result.violations.length, seed, Math.round(seconds)];
  return [trial.name, ...counts.map(String), figures.join(', ')];
}

function againOf({ trial, seed, seconds }: Outcome): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return `Again: npm run torture -- --only=${trial.name} --seed=${seed} --minutes=${minutes}`;
}
