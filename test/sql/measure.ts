// Prints what both drivers cost on this machine; asserts nothing. Run by `node test/store/measure.mjs test/sql/measure.ts`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { median, quantile } from '../bench/stats.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { fileStore } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { sqlStore } from './sql-rig.ts';

const seconds = 3;

type Driver = 'file' | 'sqlite';

for (const driver of ['file', 'sqlite'] as const) {
  const first = await timed(() =>
    startService({ env: { SERVICE_STORAGE_DRIVER: driver, SERVICE_CHECKPOINTS: 'off' } }),
  );
  const service = first.value;
  say(driver, `first start ${first.ms} ms, RSS ${rss(service)} MiB`);
  await service.stop();
  const later = await timed(() => service.restart());
  say(driver, `later start ${later.ms} ms, RSS ${rss(later.value)} MiB`);
  await later.value.stop();
  for (const perSecond of [300, 500]) await accept(driver, perSecond);
  await bulk(driver);
}

/** Commits of a message at a fixed rate, each to a session of its own: the part of an accepted message that the driver is. */
async function accept(driver: Driver, perSecond: number): Promise<void> {
  const store = open(driver, tempDirectory());
  await store.open(noResidents);
  const sessions = Array.from({ length: perSecond * seconds }, () => author());
  await Promise.all(sessions.map((session) => store.commit(session.create())));
  const sent: Promise<number>[] = [];
  const start = performance.now();
  while (sent.length < sessions.length) {
    const due = Math.ceil(((performance.now() - start) / 1000) * perSecond);
    for (const session of sessions.slice(sent.length, due)) {
      const before = performance.now();
      sent.push(store.commit(session.append('x'.repeat(300))).then(() => performance.now() - before));
    }
    await sleep(1);
  }
  const times = await Promise.all(sent);
  await store.close();
  say(
    driver,
    `commit at ${perSecond}/s: p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  );
}

/** 10,000 sessions of one message of 2,000 characters: rows per second, size on disk, boot. */
async function bulk(driver: Driver): Promise<void> {
  const directory = tempDirectory();
  const store = open(driver, directory);
  await store.open(noResidents);
  const filled = await timed(async () => {
    for (let made = 0; made < 10_000; made += 500)
      await Promise.all(
        Array.from({ length: 500 }, async () => {
          const session = author();
          await Promise.all([store.commit(session.create()), store.commit(session.append('x'.repeat(2_000)))]);
        }),
      );
  });
  say(driver, `${Math.round(20_000_000 / filled.ms)} commits/s of 500 writers`);
  await store.close();
  say(
    driver,
    `10,000 sessions on disk: ${execFileSync('du', ['-sh', directory], { encoding: 'utf8' }).split('\t')[0]}`,
  );
  const env = { SERVICE_STORAGE_DRIVER: driver, SERVICE_DATA_DIR: directory, SERVICE_CHECKPOINTS: 'off' };
  const boot = await timed(() => startService({ env, directory: join(directory, 'cwd') }));
  say(driver, `boot with 10,000 sessions ${boot.ms} ms, RSS ${rss(boot.value)} MiB`);
  await boot.value.stop();
}

function open(driver: Driver, directory: string): SessionStore {
  return driver === 'file' ? fileStore(directory) : sqlStore(directory);
}

async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const before = performance.now();
  const value = await work();
  return { value, ms: Math.round(performance.now() - before) };
}

function rss({ pid }: RunningService): number {
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024);
}

function say(driver: string, text: string): void {
  console.log(`${driver.padEnd(7)}${text}`);
}
