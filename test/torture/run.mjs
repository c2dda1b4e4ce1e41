// Hurts the service for as long as it is told: crashes, failing disks, power cuts, kills. Every trial prints its seed.
// usage: npm run torture -- [--minutes=20] [--only=part of a name] [--seed=N]
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const outdir = `.test-build/torture-${process.pid}`;
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
await build({
  entryPoints: ['test/torture/main.ts'],
  outdir,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  sourcemap: 'inline',
  sourcesContent: false,
  logLevel: 'warning',
});
const words = ['--enable-source-maps', '--expose-gc', `${outdir}/main.js`, ...process.argv.slice(2)];
const torture = spawn(process.execPath, words, { stdio: 'inherit' });
torture.once('close', (code) => process.exit(code ?? 1));
