import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { within } from '../helpers/within.ts';
import type { Metric, Row, Scale } from './metric.ts';
import { accepted } from './metrics/accepted.ts';
import { coldStart } from './metrics/cold-start.ts';
import { create } from './metrics/create.ts';
import { fanOut } from './metrics/fan-out.ts';
import { firstDelta } from './metrics/first-delta.ts';
import { longSession } from './metrics/long-session.ts';
import { longTurn } from './metrics/long-turn.ts';
import { manyTurns } from './metrics/many-turns.ts';
import { population } from './metrics/population.ts';
import { toolRounds } from './metrics/tool-rounds.ts';
import { printComplaints, printTable, type Results } from './table.ts';
import { ourTarget, rawTarget, type Target } from './target.ts';

const metrics: Metric[] = [
  coldStart,
  create,
  firstDelta,
  accepted,
  longTurn,
  manyTurns,
  toolRounds,
  fanOut,
  longSession,
  population,
];

/** A server that hangs costs this much and no more; the rest is measured on a new one. */
const longestMetricMs = 60_000;

const [outdir = '.', ...words] = process.argv.slice(2);
const option = (name: string) => words.find((word) => word.startsWith(`--${name}=`))?.split('=')[1];
const quick = words.includes('--quick');
const scale: Scale = { quick, pick: (full, small) => (quick ? small : full) };
const rounds = Number(option('rounds') ?? scale.pick(2, 1));
const only = option('only') ?? '';
const profile = option('cpu-prof');
const chosen = metrics.filter(({ rows }) => rows.some(({ id, label }) => `${id} ${label}`.includes(only)));

const root = mkdtempSync(join(tmpdir(), 'service-bench-'));
const model = await startModel();
const targets: Target[] = [rawTarget(outdir, model.url)];
if (existsSync('dist/host/main.js'))
  targets.push(ourTarget(model.url, profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : []));
else console.log('SKIPPED ours: dist/host/main.js is not there');

const started = performance.now();
const results: Results = { raw: new Map(), ours: new Map() };
try {
  for (let round = 0; round < rounds; round++)
    for (const target of round % 2 === 0 ? targets : targets.toReversed()) await measureRound(target, round);
} finally {
  model.stop();
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
const rows: Row[] = chosen.flatMap((metric) => metric.rows);
printTable(rows, results);
for (const target of targets) printComplaints(target);
console.log(
  `\n${rounds} rounds, ${Math.round((performance.now() - started) / 1000)} s; medians, spread is half the range.`,
);
const file = option('json');
if (file) writeFileSync(file, JSON.stringify({ raw: [...results.raw], ours: [...results.ours] }, undefined, 2));

async function measureRound(target: Target, round: number): Promise<void> {
  const directory = join(root, `${target.name}-${round}`);
  let running = await target.start(join(directory, 'warm'));
  for (const metric of chosen) {
    const label = `${target.name}, round ${round + 1}: ${metric.rows[0]?.label}`;
    try {
      const values = await within(longestMetricMs, metric.measure({ target, running, directory, scale }), label);
      for (const [id, value] of Object.entries(values)) {
        const list = results[target.name].get(id) ?? [];
        results[target.name].set(id, [...list, value]);
      }
    } catch (error) {
      console.log(`FAILED ${label}: ${error instanceof Error ? error.message : String(error)}`);
      process.exitCode = 1;
      await running.stop();
      running = await target.start(join(directory, `after-${metric.rows[0]?.id}`));
    }
  }
  await running.stop();
  rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
}

async function startModel(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [`${outdir}/fast-model.js`], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(line).trim()}/v1`, stop: () => child.kill() };
}
