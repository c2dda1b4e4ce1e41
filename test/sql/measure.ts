// Prints what both drivers cost on this machine; asserts nothing. Run by `node test/store/measure.mjs test/sql/measure.ts`.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, quantile } from '../bench/stats.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { fileStore } from '../store/file-rig.ts';
import { author } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { sqlStore } from './sql-rig.ts';

const seconds = 3;

for (const driver of ['file', 'sqlite'] as const) {
  const first = await timed(() =>
    startService({ env: { SERVICE_STORAGE_DRIVER: driver, SERVICE_CHECKPOINTS: 'off' } }),
  );
  const service = first.value;
  say(driver, `first start ${first.ms} ms, RSS ${rss(service)} MiB`);
  for (const perSecond of [300, 500]) await accept(driver, service, perSecond);
  say(driver, `RSS after that ${rss(service)} MiB`);
  await service.stop();
  const later = await timed(() => service.restart());
  say(driver, `later start with ${800 * seconds} sessions ${later.ms} ms`);
  await later.value.stop();
  await bulk(driver);
}

/** POST to 202 at a fixed rate, each to a session of its own. */
async function accept(driver: string, { client }: RunningService, perSecond: number): Promise<void> {
  const sessions = [];
  for (let made = 0; made < perSecond * seconds; made += 50)
    sessions.push(...(await Promise.all(Array.from({ length: 50 }, () => client.createSession()))));
  const sent: Promise<number>[] = [];
  const start = performance.now();
  while (sent.length < sessions.length) {
    const due = Math.ceil(((performance.now() - start) / 1000) * perSecond);
    for (const { session } of sessions.slice(sent.length, due)) {
      const before = performance.now();
      sent.push(client.sendMessage(session.id, { content: 'hello' }).then(() => performance.now() - before));
    }
    await sleep(1);
  }
  const times = await Promise.all(sent);
  say(
    driver,
    `accept at ${perSecond}/s: p50 ${median(times).toFixed(1)} ms, p99 ${quantile(times, 0.99).toFixed(1)} ms`,
  );
  await sleep(1_500);
}

/** 10,000 sessions of one message of 2,000 characters: rows per second, size on disk, boot. */
async function bulk(driver: 'file' | 'sqlite'): Promise<void> {
  const directory = tempDirectory();
  const open = () => (driver === 'file' ? fileStore(directory) : sqlStore(directory));
  const store = open();
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
