import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pixel } from '../helpers/pixel.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';

const test = suite('every answer that is no stream goes out in one piece with its length');
let service: RunningService;
test.before(async () => {
  service = await startService();
});
test.after(async () => {
  await service.stop();
});

async function isWhole(path: string, { status = 200, ...init }: RequestInit & { status?: number } = {}) {
  const response = await service.fetch(path, init);
  const { byteLength } = new Uint8Array(await response.arrayBuffer());
  const { headers } = response;
  assert.equal(
    [path, response.status, headers.get('content-length'), headers.get('transfer-encoding')],
    [path, status, String(byteLength), null],
  );
  if (init.method !== undefined) return;
  const head = await service.fetch(path, { method: 'HEAD' });
  assert.is(head.headers.get('content-length'), String(byteLength), `HEAD ${path}`);
}

test('refusals: of a route, a body, a method and a file', async () => {
  await isWhole('/api/sessions/ses_none', { status: 404 });
  await isWhole('/api/sessions', { status: 400, method: 'POST', body: '{' });
  await isWhole('/api/health', { status: 405, method: 'DELETE' });
  await isWhole('/none.js', { status: 404 });
});

test('figures, the document of a sandbox, the console and its parts', async () => {
  const page = await (await service.fetch('/')).text();
  const script = /src="([^"]+\.js)"/.exec(page)?.[1] ?? '';
  for (const path of ['/api/config', '/plugin-sandbox.html', '/', new URL(script, 'http://service/').pathname])
    await isWhole(path);
  const metrics = await service.fetch('/api/metrics');
  assert.ok(Number(metrics.headers.get('content-length')) > 1_000);
  assert.match(await metrics.text(), /^service_sessions 0$/m);
});

test('an image of the transcript', async () => {
  const { session } = await service.client.createSession({});
  await service.client.sendMessage(session.id, { content: 'hello', images: [{ mimeType: 'image/png', data: pixel }] });
  const page = (await (await service.fetch(`/api/sessions/${session.id}/messages`)).json()) as {
    messages: { images?: { hash: string }[] }[];
  };
  await isWhole(`/api/sessions/${session.id}/images/${page.messages[0]?.images?.[0]?.hash}`);
});

test.run();
