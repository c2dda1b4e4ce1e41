import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Driver } from './driver.ts';
import { ourDriver } from './drivers/ours.ts';
import { relayDriver } from './drivers/relay.ts';
import { printEstimates } from './estimates.ts';
import { metrics } from './metrics.ts';
import { readOptions } from './options.ts';
import { printProjectSize } from './project-size.ts';
import { measureRounds } from './rounds.ts';
import { printComplaints, printCurves, printTable, type Results } from './table.ts';
import { createTarget, type Target } from './target.ts';

const [outdir = '.', ...words] = process.argv.slice(2);
const options = readOptions(words);
const { scale, rounds, only, json } = options;
const asked = (...names: string[]) =>
  only.length === 0 || names.some((name) => only.some((part) => name.includes(part)));
const chosen = metrics.filter(({ rows, curves = [] }) =>
  asked(...[...rows, ...curves].flatMap(({ id, label }) => [id, label])),
);

const started = performance.now();
const loadBefore = loadavg();
if (chosen.length > 0) await measureServers();
if (asked('estimate')) await printEstimates();
if (asked('project size')) printProjectSize();
const load = (values: number[]) => values.map((value) => value.toFixed(1)).join(' ');
console.log(
  `\n${rounds} rounds, ${Math.round((performance.now() - started) / 1000)} s; medians, spread is half the range; ` +
    `load before ${load(loadBefore)}, after ${load(loadavg())}.`,
);
if ((loadBefore[0] ?? 0) > availableParallelism() / 4)
  console.log(
    'BUSY: the machine had other work before this began. It is in these figures; ratios bear it better than times.',
  );

async function measureServers(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'service-bench-'));
  const model = await startModel();
  const targets = await createTargets(model.url);
  const results: Results = new Map(targets.map(({ name }) => [name, new Map()]));
  try {
    const failures = await measureRounds({ targets, metrics: chosen, rounds, root, scale, results });
    if (failures > 0) process.exitCode = 1;
  } finally {
    model.stop();
    rmSync(root, { recursive: true, force: true, maxRetries: 3 });
  }
  const rows = chosen.flatMap((metric) => metric.rows);
  if (rows.length > 0) printTable(rows, results);
  printCurves(
    chosen.flatMap(({ curves = [] }) => curves),
    results,
  );
  for (const target of targets) printComplaints(target);
  if (json)
    writeFileSync(
      json,
      JSON.stringify(
        [...results].map(([name, values]) => [name, [...values]]),
        undefined,
        2,
      ),
    );
}

async function createTargets(modelUrl: string): Promise<Target[]> {
  const drivers: Driver[] = [relayDriver('raw', outdir)];
  if (existsSync('dist/host/main.js')) {
    const { profiles } = options;
    const nodeFlags = profiles ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profiles)}`] : [];
    drivers.push(ourDriver('ours', { nodeFlags }), ourDriver('sql', { storage: 'sqlite', nodeFlags }));
  } else console.log('SKIPPED ours: dist/host/main.js is not there');
  if (options.floor) drivers.push(relayDriver('floor', outdir));
  for (const path of options.drivers) {
    const { default: driver } = (await import(pathToFileURL(resolve(path)).href)) as { default?: Driver };
    if (typeof driver?.program !== 'function') throw new Error(`${path} has no driver as its default export`);
    if (drivers.some(({ name }) => name === driver.name)) throw new Error(`${path}: the name ${driver.name} is taken`);
    drivers.push(driver);
  }
  return drivers.map((driver) => createTarget(driver, { modelUrl, outdir }));
}

async function startModel(): Promise<{ url: string; stop(): void }> {
  const child = spawn(process.execPath, [`${outdir}/fast-model.js`], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  return { url: `http://127.0.0.1:${String(line).trim()}/v1`, stop: () => child.kill() };
}
