import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../lib/store/sql/database.ts';
import { createMaintenance } from '../../lib/store/sql/maintenance.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { silent } from '../store/file-rig.ts';

const test = suite('what is deleted is erased soon');

test('also while one deletion follows another', async () => {
  const clock = createFakeClock();
  let looked = 0;
  const database: Database = {
    open: async () => undefined,
    close: async () => undefined,
    transaction: async () => [],
    async query({ sql }) {
      if (sql.includes('FROM unerased')) looked += 1;
      return [];
    },
  };
  const maintenance = createMaintenance({
    database,
    room: { forCopy: async () => true },
    clock,
    log: silent,
    removeImages: async () => undefined,
    isReadOnly: () => false,
  });
  for (let at = 0; at < 10; at++) {
    maintenance.deleted([`ses_${at}`]);
    clock.advance(30);
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(looked >= 4, `looked ${looked} times in 300 ms`);
  maintenance.stop();
});

test.run();
