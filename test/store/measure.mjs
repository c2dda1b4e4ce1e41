// usage: node test/store/measure.mjs
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const outfile = `.test-build/measure-${process.pid}.mjs`;
await build({
  entryPoints: ['test/store/measure.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  logLevel: 'warning',
});
process.exitCode = spawnSync(process.execPath, [outfile], { stdio: 'inherit' }).status ?? 1;
