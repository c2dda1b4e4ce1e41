// Hurts the service for as long as it is told: crashes, failing disks, power cuts, kills. Every trial prints its seed.
// usage: npm run torture -- [--minutes=20] [--only=part of a name] [--seed=N]
import { spawn } from 'node:child_process';
import { bundle } from '../bundle.mjs';

const outdir = `.test-build/torture-${process.pid}`;
await bundle(['test/torture/main.ts'], outdir);
const words = ['--enable-source-maps', '--expose-gc', `${outdir}/test/torture/main.js`, ...process.argv.slice(2)];
const torture = spawn(process.execPath, words, { stdio: 'inherit' });
torture.once('close', (code) => process.exit(code ?? 1));
