// Measures the service beside a bare node:http relay, in alternating rounds on one scripted model, all on 127.0.0.1.
// usage: npm run bench -- [--quick] [--rounds=2] [--only=part of a row ...] [--driver=path.mjs ...] [--json=file] [--cpu-prof=folder]
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const outdir = `.test-build/bench-${process.pid}`;
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
await build({
  entryPoints: ['main', 'raw-relay', 'fast-model', 'loop-probe'].map((name) => `test/bench/${name}.ts`),
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const bench = spawn(process.execPath, [`${outdir}/main.js`, outdir, ...process.argv.slice(2)], { stdio: 'inherit' });
bench.once('close', (code) => process.exit(code ?? 1));
