import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { checkExport } from '../../lib/store/transfer/check-export.ts';
import { exportSessions } from '../../lib/store/transfer/export-sessions.ts';
import { importSessions } from '../../lib/store/transfer/import-sessions.ts';
import { memoryDirectory } from '../helpers/memory-directory.ts';
import { sqlStore } from '../sql/sql-rig.ts';
import { fileStore } from '../store/file-rig.ts';
import { answersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { allowed } from './next-process.ts';
import { stepsOf } from './step.ts';

const test = suite('what was exported is answered alike where it was imported');

const stores = {
  file: (directory: string): SessionStore => fileStore(directory, { durability: 'process' }),
  sql: (directory: string): SessionStore => sqlStore(directory, { durability: 'process' }),
};

async function holdsOver(
  route: readonly (keyof typeof stores)[],
  steps: Parameters<History['play']>[0],
): Promise<void> {
  const [first = 'file', ...others] = route;
  let here: () => SessionStore = at(first);
  const history = await History.begin({}, { store: async () => here() });
  const { world } = history;
  try {
    await history.play(steps);
    await history.cancelAll();
    const before = await answersOf(history);
    for (const next of others) {
      await world.life.app.close();
      const there = at(next);
      await transfer(here(), there());
      here = there;
      await world.crash();
      assertSame(before, await answersOf(history), `an export to ${next}`, allowed);
    }
  } finally {
    await world.close();
  }
}

test('between two directories of the file driver', () =>
  hold('file to file', stepsOf(), (steps) => holdsOver(['file', 'file'], steps)));

test('from the file driver to the SQL driver and back', () =>
  hold('file to SQL to file', stepsOf({ least: 10, most: 40 }), (steps) => holdsOver(['file', 'sql', 'file'], steps), {
    least: 1,
  }));

test.run();

/** A store of its own; each call opens the same directory again. */
function at(driver: keyof typeof stores): () => SessionStore {
  const directory = memoryDirectory(driver);
  return () => stores[driver](directory);
}

async function transfer(from: SessionStore, to: SessionStore): Promise<void> {
  const path = join(memoryDirectory('export'), 'all.jsonl');
  const file = await open(path, 'w');
  const { sessions } = await from.open({ resident: () => undefined });
  const options = { product: '0', driver: 'any', at: new Date(0).toISOString() };
  const done = await exportSessions({ store: from, sessions, ...options, write: (text) => file.appendFile(text) });
  await file.close();
  await from.close();
  assert.equal(done.unreadable, []);

  const { sessions: present } = await to.open({ resident: () => undefined });
  assert.equal(present, []);
  const checked = await checkExport(path, { existing: new Map(), refuseAccounts: () => undefined });
  assert.equal(checked.bad, []);
  await importSessions({ store: to, path, checked });
  await to.close();
}
