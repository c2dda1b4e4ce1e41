import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { checkExport } from '../../lib/store/transfer/check-export.ts';
import { importSessions } from '../../lib/store/transfer/import-sessions.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { sqlStore } from '../sql/sql-rig.ts';
import { fileStore } from './file-rig.ts';
import { author, sampleMessage, sampleRecord, texts } from './sample.ts';
import { noResidents } from './session-store-contract.ts';

const drivers: Record<string, (directory: string) => SessionStore> = {
  file: (directory) => fileStore(directory),
  sqlite: (directory) => sqlStore(directory),
};

const data = Buffer.from('an image').toString('base64');
const hash = createHash('sha256').update('an image').digest('hex');
const image = { mimeType: 'image/png', hash, bytes: 8 } as const;
const id = 'ses_again';

/** An export of one session with one message and its image. */
function exported(): string {
  const path = join(tempDirectory(), 'export.jsonl');
  const lines = [
    { kind: 'export', version: 1, product: '0', driver: 'file', at: '2026-01-01T00:00:00.000Z' },
    { kind: 'session', record: sampleRecord(id) },
    { kind: 'image', session: id, hash, data },
    { kind: 'message', session: id, message: sampleMessage('the second', { images: [image] }) },
    { kind: 'end', sessions: 1, images: 1, messages: 1 },
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return path;
}

for (const [driver, open] of Object.entries(drivers)) {
  const test = suite(
    `A session that an import brings back right after its deletion keeps all that it has then (${driver})`,
  );

  async function deletedIn(directory: string): Promise<SessionStore> {
    const store = open(directory);
    await store.open(noResidents);
    const first = author('default', id);
    await store.commit(first.create({ messageCount: 1 }));
    await store.putImage('default', id, data);
    await store.commit(first.append('the first'));
    await store.commit(first.remove());
    return store;
  }

  async function assertWhole(directory: string): Promise<void> {
    const store = open(directory);
    const { sessions, findings } = await store.open(noResidents);
    assert.equal(findings, []);
    assert.is(sessions.length, 1);
    assert.equal(texts(await store.readMessages('default', id)), ['the second']);
    assert.is(await store.readImage('default', id, hash), data);
    await store.close();
  }

  test('by the process that deleted it', async () => {
    const directory = tempDirectory();
    const store = await deletedIn(directory);
    const path = exported();
    const checked = await checkExport(path, { existing: new Map(), refuseAccounts: () => undefined });
    assert.equal(checked.bad, []);
    await importSessions({ store, path, checked });
    await store.close();
    await assertWhole(directory);
  });

  if (driver === 'sqlite')
    test('also while its erasure waits', async () => {
      const directory = tempDirectory();
      const store = await deletedIn(directory);
      const second = author('default', id);
      await store.commit(second.create({ messageCount: 1 }));
      await store.putImage('default', id, data);
      await store.commit(second.append(sampleMessage('the second', { images: [image] })));
      await store.flush();
      await store.close();
      await assertWhole(directory);
    });

  test.run();
}
