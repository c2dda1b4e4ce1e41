import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApp } from '../../host/create-app.ts';
import { handlers } from '../../host/routes.ts';
import { loadConfig } from '../../lib/config/load-config.ts';
import { createFetch } from '../../lib/http/create-fetch.ts';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { errorOf } from '../helpers/invoke.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

const closed = suite('An app that was closed refuses changes in words, and begins nothing');

closed(
  'sessions and runs are vetoed as during a stop, before a model is called; other changes did nothing',
  async () => {
    const cwd = tempDirectory('closed');
    const settings = { plugins: { directories: [] }, log: { level: 'silent' }, checkpoints: { enabled: false } };
    const { config } = loadConfig({ env: {}, cwd, settings });
    const app = await createApp({ config, bundledPlugins: tempDirectory('no-plugins') });
    const model = scriptedModel();
    app.models.register(model);
    const fetch = createFetch(handlers, app);
    const call = (method: string, path: string, body?: object): Promise<Response> =>
      within(
        5_000,
        fetch(new Request(`http://service${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })),
      );
    const { session } = (await (await call('POST', '/api/sessions', {})).json()) as { session: SessionDetail };
    const path = `/api/sessions/${session.id}`;
    await app.close();

    const stopping = { status: 429, code: 'shutting_down', message: 'The service is stopping. Try again in a moment.' };
    for (const [route, body] of [
      ['/api/sessions', {}],
      [`${path}/messages`, { content: 'hi' }],
    ] as const) {
      const refused = await call('POST', route, body);
      assert.is(refused.headers.get('retry-after'), '5');
      assert.equal(await errorOf(refused), stopping);
    }
    assert.equal(model.requests, []);
    const message = 'The service is stopping, so it did nothing. Try again in a moment.';
    for (const [method, body] of [['PATCH', { title: 'late' }], ['DELETE']] as const)
      assert.equal(await errorOf(await call(method, path, body)), { status: 500, code: 'internal_error', message });
    assert.is(((await (await call('GET', path)).json()) as { session: SessionDetail }).session.title, session.title);
  },
);

closed.run();
