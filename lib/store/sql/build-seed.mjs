// The empty database that the SQL driver begins with. It takes seconds to make, so it is kept until what makes it changes.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { build } from 'esbuild';

const cache = 'node_modules/.cache/agent-session-service';

export async function buildSeed(target) {
  const { outputFiles } = await build({
    entryPoints: ['lib/store/sql/make-seed.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  const [{ text }] = outputFiles;
  const { version } = JSON.parse(await readFile('node_modules/@electric-sql/pglite/package.json', 'utf8'));
  const key = createHash('sha256').update(version).update(text).digest('hex').slice(0, 16);
  const kept = `${cache}/seed-${key}.gz`;
  if (!existsSync(kept)) await makeSeed(text, kept);
  await mkdir(dirname(target), { recursive: true });
  await cp(kept, target);
}

/** Two builds may do it at once: each writes a file of its own, and the last one takes the place. */
async function makeSeed(program, kept) {
  const script = `${cache}/make-seed-${process.pid}.mjs`;
  const unfinished = `${kept}.${process.pid}`;
  await mkdir(cache, { recursive: true });
  await writeFile(script, program);
  const { status } = spawnSync(process.execPath, [script, unfinished], { stdio: 'inherit' });
  await rm(script);
  if (status !== 0) throw new Error('The seed of the SQL driver could not be made.');
  await rename(unfinished, kept);
}
