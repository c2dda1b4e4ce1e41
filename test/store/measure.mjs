// usage: node test/store/measure.mjs [test/sql/measure.ts]
import { spawnSync } from 'node:child_process';
import { build } from 'esbuild';

const outfile = `.test-build/measure-${process.pid}.mjs`;
await build({
  entryPoints: [process.argv[2] ?? 'test/store/measure.ts'],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  packages: 'external',
  logLevel: 'warning',
});
process.exitCode = spawnSync(process.execPath, [outfile], { stdio: 'inherit' }).status ?? 1;
