// Measures the service beside a bare node:http relay, in alternating rounds on one scripted model, all on 127.0.0.1.
// usage: npm run bench -- [--quick] [--rounds=2] [--only=part of a row ...] [--driver=path.mjs ...] [--floor] [--json=file] [--cpu-prof=folder]
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const outdir = `.test-build/bench-${process.pid}`;
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
const common = { outdir, bundle: true, format: 'esm', platform: 'node', target: 'node20', logLevel: 'warning' };
await build({
  ...common,
  entryPoints: ['main', 'raw-relay', 'fast-model', 'loop-probe'].map((name) => `test/bench/${name}.ts`),
  packages: 'external',
});
// One file each, as the service is: opening those of its libraries is no part of the floor.
await build({
  ...common,
  entryPoints: ['floor-relay', 'start-part'].map((name) => `test/bench/${name}.ts`),
  minify: true,
});
const bench = spawn(process.execPath, [`${outdir}/main.js`, outdir, ...process.argv.slice(2)], { stdio: 'inherit' });
bench.once('close', (code) => process.exit(code ?? 1));
