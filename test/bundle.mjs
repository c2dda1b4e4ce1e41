import { rmSync } from 'node:fs';
import { build } from 'esbuild';

/** Bundles programs of the tests into a folder that goes with this process. Packages stay outside. */
export async function bundle(entryPoints, outdir) {
  process.on('exit', () => rmSync(outdir, { recursive: true, force: true }));
  await build({
    entryPoints,
    outdir,
    outbase: '.',
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
}
