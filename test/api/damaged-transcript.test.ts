import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { watch, withApp } from '../helpers/with-app.ts';
import { flip } from '../store/crash-rig.ts';
import { fileStore } from '../store/file-rig.ts';

const test = suite('A transcript that was damaged while the service was down');

test('is named by every answer that needs it; nothing is done to it, nobody else is touched, and it can be deleted', async () => {
  const directory = tempDirectory();
  const ids: string[] = [];
  await withService(directory, async (app) => {
    for (let count = 0; count < 2; count++) {
      const { id } = await app.newSession();
      ids.push(id);
      const session = await watch(app, id);
      await session.send('quagga');
      await session.until('run.finished');
      await session.stream.close();
    }
  });
  const [damaged = '', whole = ''] = ids;
  const path = join(directory, 'sessions', `${damaged}.json`);
  const bytes = await readFile(path);
  const harmed = flip(bytes, bytes.lastIndexOf('quagga'));
  await writeFile(path, harmed);

  await withService(directory, async (app) => {
    for (const [method, below, body] of [
      ['GET', '', undefined],
      ['GET', '/messages', undefined],
      ['POST', '/messages', { content: 'go on' }],
      ['PATCH', '', { title: 'Another' }],
      ['POST', '/compact', {}],
    ] as const) {
      const init = { method, ...(body && { body: JSON.stringify(body) }) };
      const response = await app.fetch(`/api/sessions/${damaged}${below}`, init);
      const { error } = (await response.json()) as { error: { code: string; message: string } };
      assert.equal([response.status, error.code], [500, 'internal_error'], `${method} ${below}`);
      assert.match(error.message, 'transcript of this session cannot be read');
    }
    assert.ok(app.lines.some((line) => line.includes(damaged) && line.includes('its checksum does not match')));
    assert.equal(await readFile(path), harmed);

    const listed = await app.call<{ sessions: { id: string; status: string }[] }>('GET', '/api/sessions', {});
    assert.equal(listed.sessions.map(({ id, status }) => [id, status]).sort(), ids.map((id) => [id, 'idle']).sort());
    assert.is((await app.detail(whole)).messages.length, 2);
    const found = await app.call<{ results: { session: { id: string }; messages: unknown[] }[] }>(
      'GET',
      '/api/search?q=quagga',
      {},
    );
    assert.equal(
      found.results.flatMap(({ session, messages }) => (messages.length > 0 ? [session.id] : [])),
      [whole],
    );
    assert.is((await app.fetch(`/api/sessions/${damaged}`, { method: 'DELETE' })).status, 204);
  });
  await withService(directory, async (app) => {
    assert.is((await app.fetch(`/api/sessions/${damaged}`)).status, 404);
    assert.is((await app.detail(whole)).messages.length, 2);
  });
});

test.run();

function withService(directory: string, use: (app: TestApp) => Promise<void>): Promise<void> {
  return withApp({ models: [scriptedModel()], store: fileStore(directory) }, use);
}
