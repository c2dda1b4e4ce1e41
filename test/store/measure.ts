// Prints what the file driver costs on this machine; asserts nothing. Built and run by `node test/store/measure.mjs`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileStore, withStore } from './file-rig.ts';
import { author } from './sample.ts';
import { noResidents } from './session-store-contract.ts';

const [, , mode, given] = process.argv;
if (mode === 'boot') await boot(given ?? '');
else await measure();

async function measure(): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), 'measure-'));
  try {
    for (const writers of [1, 32, 64]) await commits(join(root, `commits-${writers}`), writers);
    await boots(join(root, 'boot'), 10_000);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** Sessions that append a message of 300 characters as fast as they are acknowledged, for three seconds. */
async function commits(directory: string, writers: number): Promise<void> {
  await withStore(directory, async (store) => {
    const sessions = Array.from({ length: writers }, () => author());
    await Promise.all(sessions.map((session) => store.commit(session.create())));
    const latencies: number[] = [];
    const started = performance.now();
    await Promise.all(
      sessions.map(async (session) => {
        while (performance.now() - started < 3_000) {
          const before = performance.now();
          await store.commit(session.append('x'.repeat(300)));
          latencies.push(performance.now() - before);
        }
      }),
    );
    const seconds = (performance.now() - started) / 1_000;
    latencies.sort((a, b) => a - b);
    const at = (part: number): string => (latencies[Math.floor(latencies.length * part)] ?? 0).toFixed(2);
    console.log(
      `${writers} writers: ${Math.round(latencies.length / seconds)} commits/s, p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    );
  });
}

/** Opens a directory of many sessions in a fresh process: after a clean stop, without its index, and after a kill. */
async function boots(directory: string, count: number): Promise<void> {
  const store = fileStore(directory);
  await store.open(noResidents);
  await Promise.all(
    Array.from({ length: count }, async () => {
      const session = author();
      await store.commit(session.create());
      await store.commit(session.append('x'.repeat(2_000)));
    }),
  );
  const before = performance.now();
  await store.close();
  console.log(`closing with ${count} sessions to write: ${Math.round(performance.now() - before)} ms`);
  for (const what of ['clean stop', 'clean stop again', 'without its index']) {
    if (what === 'without its index') rmSync(join(directory, 'index.json'));
    const child = spawnSync(process.execPath, [fileURLToPath(import.meta.url), 'boot', directory], {
      encoding: 'utf8',
    });
    console.log(`boot with ${count} sessions, ${what}: ${child.stdout.trim()}`);
  }
}

async function boot(directory: string): Promise<void> {
  const idle = process.memoryUsage.rss();
  const before = performance.now();
  const store = fileStore(directory);
  const { sessions } = await store.open(noResidents);
  const took = performance.now() - before;
  const mib = (bytes: number): number => Math.round(bytes / 1024 / 1024);
  console.log(
    `${sessions.length} in ${Math.round(took)} ms, RSS ${mib(process.memoryUsage.rss())} MiB (idle ${mib(idle)})`,
  );
  process.exit();
}
