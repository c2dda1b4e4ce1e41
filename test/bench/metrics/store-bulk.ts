import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionStore } from '../../../lib/store/session-store.ts';
import { sqlStore } from '../../sql/sql-rig.ts';
import { fileStore } from '../../store/file-rig.ts';
import { author } from '../../store/sample.ts';
import { noResidents } from '../../store/session-store-contract.ts';
import type { Metric } from '../metric.ts';

const writers = 500;

/** Sessions with one message of 2,000 characters each, written by the driver itself; then the service starts on them. */
export const storeBulk: Metric = {
  rows: [
    { id: 'bulkRows', label: 'store driver: changes per second, 500 writers', unit: '/s', good: 'high' },
    { id: 'bulkDisk', label: '- on disk per session of a 2,000-character message', unit: 'KiB', good: 'low' },
    { id: 'bulkBoot', label: 'start with 10,000 such sessions to healthy', unit: 'ms', good: 'low' },
    { id: 'bulkRss', label: '- RSS then', unit: 'MiB', good: 'low' },
  ],
  targets: ['ours', 'sql'],
  longestMs: 120_000,
  async measure({ target, directory, scale }) {
    const home = join(directory, 'bulk');
    const data = join(home, 'data');
    mkdirSync(data, { recursive: true });
    const count = scale.pick(10_000, 2_000);
    const store = target.name === 'sql' ? sqlStore(data) : fileStore(data);
    await store.open(noResidents);
    const ms = await fill(store, count);
    await store.close();
    const kib = Number(execFileSync('du', ['-sk', data], { encoding: 'utf8' }).split('\t')[0]);
    const running = await target.start(home);
    const values = {
      bulkRows: (2 * count * 1_000) / ms,
      bulkDisk: kib / count,
      bulkBoot: running.startMs,
      bulkRss: running.rssMiB(),
    };
    await running.stop();
    return values;
  },
};

async function fill(store: SessionStore, count: number): Promise<number> {
  const before = performance.now();
  for (let made = 0; made < count; made += writers)
    await Promise.all(
      Array.from({ length: writers }, async () => {
        const session = author();
        await Promise.all([store.commit(session.create()), store.commit(session.append('x'.repeat(2_000)))]);
      }),
    );
  return performance.now() - before;
}
