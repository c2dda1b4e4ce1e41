import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rawRequest } from '../helpers/raw-http.ts';
import { startService } from '../helpers/running-service.ts';
import { withApp } from '../helpers/with-app.ts';

const id = suite('x-request-id');
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

id('of a client comes back, on errors too; otherwise one is made', () =>
  withApp({}, async (app) => {
    for (const path of ['/api/health', '/api/sessions/none', '/api/nowhere', '/nowhere', '/api/health?x']) {
      const given = await app.fetch(path, { headers: { 'x-request-id': 'edge-1.2:3_4' } });
      assert.is(given.headers.get('x-request-id'), 'edge-1.2:3_4', path);
      const [one, two] = await Promise.all([app.fetch(path), app.fetch(path)]);
      assert.match(one.headers.get('x-request-id') ?? '', uuid);
      assert.is.not(one.headers.get('x-request-id'), two.headers.get('x-request-id'));
    }
  }),
);

id('that could harm a log is replaced', () =>
  withApp({}, async (app) => {
    for (const bad of ['two words', 'a"b', 'x'.repeat(129), '{}', 'é']) {
      const { headers } = await app.fetch('/api/health', { headers: { 'x-request-id': bad } });
      assert.match(headers.get('x-request-id') ?? '', uuid, bad);
    }
  }),
);

id('stands in the log line of a failure, the same as in its answer', () =>
  withApp({}, async (app) => {
    const handler = () => Promise.reject(new Error('of the plugin'));
    app.app.routes.register({ method: 'GET', path: '/api/broken', handler }, 'broken');
    Reflect.set(app.app.approvals, 'pending', () => {
      throw new Error('of the service');
    });
    for (const path of ['/api/approvals', '/api/broken']) {
      const made = await app.fetch(path);
      assert.is(made.status, 500, path);
      const line = app.lines.at(-1) ?? '';
      assert.match(line, `requestId=${made.headers.get('x-request-id')}`);
      const given = await app.fetch(path, { headers: { 'x-request-id': `mine-${made.status}` } });
      assert.is(given.headers.get('x-request-id'), 'mine-500');
      assert.match(app.lines.at(-1) ?? '', 'requestId=mine-500');
    }
  }),
);

id('is on what never became a request, and on what the filter refused', async () => {
  const service = await startService();
  const port = Number(new URL(service.url).port);
  for (const bytes of ['nonsense\r\n\r\n', 'GET /a/../b HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'])
    assert.match(await rawRequest(port, bytes), /^HTTP\/1\.1 4\d\d .*\r\nx-request-id: [0-9a-f-]{36}\r\n/is);
  const known = 'GET /a/../b HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Request-Id: edge-7\r\n\r\n';
  assert.match(await rawRequest(port, known), /x-request-id: edge-7/i);
  assert.is(
    (await service.fetch('/api/health', { headers: { 'x-request-id': 'edge-8' } })).headers.get('x-request-id'),
    'edge-8',
  );
  assert.is(await service.stop(), 0);
});

id.run();
