// An agent fixes a failing test: the service, its tools and the typed client are real, the model plays a script.
// usage: npm run example
import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { build } from 'esbuild';

const outdir = `.test-build/example-${process.pid}`;
process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
await build({
  entryPoints: ['test/example/main.ts'],
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  packages: 'external',
  logLevel: 'warning',
});
const example = spawn(process.execPath, [`${outdir}/main.js`], { stdio: 'inherit' });
example.once('close', (code) => process.exit(code ?? 1));
