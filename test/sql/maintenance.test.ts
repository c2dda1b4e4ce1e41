import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../lib/store/sql/database.ts';
import { createMaintenance } from '../../lib/store/sql/maintenance.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { eventually } from '../helpers/within.ts';
import { silent } from '../store/file-rig.ts';

const test = suite('what is deleted is erased soon');

/** A database that answers nothing, shown every statement. */
function silentDatabase(see: (sql: string) => void): Database {
  return {
    open: async () => undefined,
    close: async () => undefined,
    transaction: async () => [],
    async query({ sql }) {
      see(sql);
      return [];
    },
  };
}

function maintenanceOf(database: Database, removeImages: (sessionId: string) => Promise<void> = async () => undefined) {
  const clock = createFakeClock();
  const warnings: string[] = [];
  const maintenance = createMaintenance({
    database,
    room: { forCopy: async () => true },
    clock,
    log: { ...silent, warn: (text) => warnings.push(text) },
    removeImages,
    isReadOnly: () => false,
  });
  return { clock, maintenance, warnings };
}

test('also while one deletion follows another', async () => {
  let looked = 0;
  const database = silentDatabase((sql) => {
    if (sql.includes('FROM unerased')) looked += 1;
  });
  const { clock, maintenance } = maintenanceOf(database);
  for (let at = 0; at < 10; at++) {
    maintenance.deleted([`ses_${at}`]);
    clock.advance(30);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(looked >= 4, `looked ${looked} times in 300 ms`);
  maintenance.stop();
});

test('also when images of another session can not be removed', async () => {
  const removed: string[] = [];
  let looked = false;
  const database = silentDatabase((sql) => {
    looked ||= sql.includes('FROM unerased');
  });
  const { maintenance } = maintenanceOf(database, async (id) => {
    if (id === 'ses_stuck') throw new Error('they are held');
    removed.push(id);
  });
  maintenance.deleted(['ses_stuck', 'ses_gone']);
  const error = await maintenance.flush().catch((reason: Error) => reason.message);
  assert.equal([removed, looked, error], [['ses_gone'], true, 'they are held']);
  maintenance.stop();
});

test('also while tables are being vacuumed, of which only one comes before it', async () => {
  const seen: string[] = [];
  const { clock, maintenance } = maintenanceOf({
    ...silentDatabase(() => undefined),
    async query({ sql }) {
      seen.push(sql.startsWith('VACUUM') ? 'vacuum' : sql.includes('FROM unerased') ? 'erasure' : 'other');
      if (seen.at(-1) === 'vacuum') await new Promise((resolve) => setTimeout(resolve, 5));
      return sql.includes('count(*) AS parts') ? [{ parts: 16 }] : [];
    },
  });
  maintenance.wrote(100 * 2 ** 20);
  clock.advance(2_000);
  await eventually(2_000, () => seen.includes('vacuum'));
  maintenance.deleted(['ses_gone']);
  clock.advance(50);
  await eventually(2_000, () => seen.includes('erasure'));
  assert.ok(seen.filter((each) => each === 'vacuum').length <= 2, seen.join());
  maintenance.stop();
});

test('a checkpoint that failed is made with the next occasion', async () => {
  let checkpoints = 0;
  const database = silentDatabase((sql) => {
    if (sql === 'CHECKPOINT' && ++checkpoints === 1) throw new Error('the disk is full');
  });
  const { maintenance } = maintenanceOf(database);
  maintenance.wrote(1);
  const error = await maintenance.flush().catch((reason: Error) => reason.message);
  await maintenance.flush();
  await maintenance.flush();
  assert.equal([error, checkpoints], ['the disk is full', 2]);
  maintenance.stop();
});

for (const isStopped of [false, true])
  test(`what fails is ${isStopped ? 'no news once the service ends' : 'told'}`, async () => {
    let fail = () => {};
    const asked = new Promise<void>((resolve) => {
      fail = resolve;
    });
    const { clock, maintenance, warnings } = maintenanceOf({
      ...silentDatabase(() => undefined),
      async query() {
        await asked;
        throw new Error('The database is closed.');
      },
    });
    maintenance.deleted(['ses_gone']);
    clock.advance(50);
    if (isStopped) maintenance.stop();
    fail();
    await new Promise((resolve) => setImmediate(resolve));
    assert.is(warnings.length, isStopped ? 0 : 1);
    maintenance.stop();
  });

test.run();
