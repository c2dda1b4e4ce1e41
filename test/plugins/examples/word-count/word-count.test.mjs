import assert from 'node:assert/strict';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createApp } from 'agent-session-service';
import { createClient } from 'agent-session-service/client';
import { loadConfig } from 'agent-session-service/config';
import { createFetch } from 'agent-session-service/fetch';
import { handlers } from 'agent-session-service/routes';

test('a model counts the words of a file', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'word-count-'));
  await writeFile(join(cwd, 'a.txt'), 'one two three');
  const directories = [dirname(dirname(fileURLToPath(import.meta.url)))];
  const plugins = { directories, allow: ['word-count', 'demo-model'], config: { 'word-count': { maxBytes: 7 } } };
  const { config } = loadConfig({ env: {}, cwd, settings: { plugins } });
  const app = await createApp({ config, cwd });
  try {
    const fetch = createFetch(handlers, app);
    const client = createClient({ baseUrl: 'http://localhost', fetch: (url, init) => fetch(new Request(url, init)) });
    const { session } = await client.createSession();
    const { message } = await client.sendAndWait(session.id, 'call count_words {"path": "a.txt"}');
    assert.match(message?.content ?? '', /2 words or more/);
  } finally {
    await app.close();
  }
});
