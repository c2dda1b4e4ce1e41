import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSessions } from '../../host/open-sessions.ts';
import type { Logger } from '../../lib/base/log.ts';
import { openSequence } from '../../lib/events/sequence.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { fileStore, silent, withStore } from './file-rig.ts';
import { author } from './sample.ts';
import { noResidents } from './session-store-contract.ts';

const test = suite('A small value that was damaged counts as missing, and keeps no service from starting');

for (const content of ['', '{"val', 'null', '[]', '{"other":1}', '\0'.repeat(20)])
  test(`its file holds ${JSON.stringify(content)}`, async () => {
    const directory = tempDirectory();
    await mkdir(join(directory, 'meta'));
    for (const key of ['events', 'import']) await writeFile(join(directory, 'meta', `${key}.json`), content);
    const named: unknown[] = [];
    const log: Logger = { ...silent, warn: (_message, fields) => void named.push(fields?.key) };
    const store = fileStore(directory, { log });
    assert.equal((await openSessions(store, { log, ...noResidents })).sessions, []);
    const clock = createFakeClock();
    const { seed } = await openSequence(store, clock, log);
    assert.is(seed, clock.now() * 1000);
    assert.equal(named, ['import', 'events']);
    assert.is(await store.readMeta('events'), String(seed + 1_000_000));
    await store.close();
  });

test('a note of an import that names nothing removes nothing', async () => {
  for (const note of ['{"a":1}', 'no JSON', '"ses_a"']) {
    const directory = tempDirectory();
    const session = author('default', 'ses_a');
    await withStore(directory, async (store) => {
      await store.commit(session.create({ messageCount: 1 }));
      await store.writeMeta('import', note);
    });
    const store = fileStore(directory);
    assert.is((await openSessions(store, { log: silent, ...noResidents })).sessions.length, 1);
    await store.close();
  }
});

test.run();
