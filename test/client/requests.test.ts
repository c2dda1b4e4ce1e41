import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, isApiError } from '../../lib/client/index.ts';
import { within } from '../helpers/within.ts';
import { json, startFakeService } from './fake-service.ts';

const test = suite('the client calls every route of the contract');
const id = 'ses_1';

type Client = ReturnType<typeof createClient>;
const calls: [string, (client: Client) => Promise<unknown>, unknown?][] = [
  ['GET /api/health', (client) => client.health()],
  ['GET /api/bootstrap', (client) => client.bootstrap()],
  ['GET /api/config', (client) => client.config()],
  ['GET /api/plugins', (client) => client.plugins()],
  ['GET /api/usage?tenant=a', (client) => client.usage({ tenant: 'a' })],
  ['GET /api/search?q=a+b&limit=5', (client) => client.search('a b', { limit: 5 })],
  ['GET /api/quotas', (client) => client.quotas()],
  ['GET /api/auth/me', (client) => client.me()],
  ['GET /api/users', (client) => client.listUsers()],
  ['POST /api/users', (client) => client.createUser({ name: 'Ada' }), { name: 'Ada' }],
  ['POST /api/users/usr_1/token', (client) => client.rotateToken('usr_1')],
  ['DELETE /api/users/usr_1', (client) => client.deleteUser('usr_1')],
  ['GET /api/tenants', (client) => client.listTenants()],
  ['POST /api/tenants', (client) => client.createTenant({ name: 'A' }), { name: 'A' }],
  ['GET /api/sessions', (client) => client.listSessions()],
  ['POST /api/sessions', (client) => client.createSession({ title: 'T' }), { title: 'T' }],
  ['GET /api/sessions/ses_1', (client) => client.readSession(id)],
  ['PATCH /api/sessions/ses_1', (client) => client.updateSession(id, { title: 'U' }), { title: 'U' }],
  ['DELETE /api/sessions/ses_1', (client) => client.deleteSession(id)],
  ['POST /api/sessions/ses_1/messages', (client) => client.sendMessage(id, { content: 'hi' }), { content: 'hi' }],
  ['POST /api/sessions/ses_1/cancel', (client) => client.cancelRun(id)],
  ['POST /api/sessions/ses_1/resume', (client) => client.resumeSession(id)],
  ['POST /api/sessions/ses_1/compact', (client) => client.compactSession(id)],
  ['GET /api/sessions/ses_1/diagnostics', (client) => client.diagnoseSession(id)],
  ['POST /api/sessions/ses_1/repair', (client) => client.repairSession(id)],
  [
    'POST /api/sessions/ses_1/rewind',
    (client) => client.rewindSession(id, { messageId: 'msg_1', restoreFiles: false }),
    { messageId: 'msg_1', restoreFiles: false },
  ],
  [
    'POST /api/sessions/ses_1/approvals/apr_1',
    (client) => client.decideApproval(id, 'apr_1', { approved: true }),
    { approved: true },
  ],
  ['GET /api/sessions/ses_1/files?path=.', (client) => client.listFiles(id)],
  ['GET /api/sessions/ses_1/file?path=a+b%26.txt', (client) => client.readFile(id, 'a b&.txt')],
  ['GET /api/sessions/ses_1/checkpoints', (client) => client.listCheckpoints(id)],
  ['POST /api/sessions/ses_1/checkpoints', (client) => client.createCheckpoint(id, { label: 'L' }), { label: 'L' }],
  ['POST /api/sessions/ses_1/checkpoints/chk_1/restore', (client) => client.restoreCheckpoint(id, 'chk_1')],
  ['POST /api/hooks/deploy', (client) => client.callHook('deploy', { a: 1 }, { secret: 's' }), { a: 1 }],
  ['POST /api/own?b=2', (client) => client.request('POST', '/api/own', { query: { b: 2 }, body: [1] }), [1]],
];

for (const [expected, call, body = ''] of calls)
  test(expected, async () => {
    const answered = { from: expected };
    const service = await startFakeService({ '*': json(200, answered) });
    try {
      const client = createClient({ baseUrl: service.baseUrl, token: 'secret' });
      assert.equal(await within(2_000, call(client)), answered);
      assert.is(service.seen.length, 1);
      const [request] = service.seen;
      assert.is(`${request?.method} ${request?.path}`, expected);
      assert.equal(request?.body, body);
      assert.is(request?.headers.authorization, 'Bearer secret');
      assert.is(request?.headers['content-type'], body === '' ? undefined : 'application/json');
    } finally {
      await service.close();
    }
  });

test('a base URL with a path prefix keeps it', async () => {
  const service = await startFakeService({ 'GET /behind/proxy/api/health': json(200, { status: 'ok' }) });
  const client = createClient({ baseUrl: `${service.baseUrl}/behind/proxy` });
  assert.is((await client.health()).status, 'ok');
  await service.close();
});

test('204 resolves with nothing', async () => {
  const service = await startFakeService({ '*': json(204, undefined) });
  assert.is(await createClient(service).deleteSession(id), undefined);
  await service.close();
});

test('an error answer becomes an ApiError with everything the envelope says', async () => {
  const envelope = { error: { code: 'quota_exceeded', message: 'Too many.', details: { limit: 3 } } };
  const service = await startFakeService({ '*': json(429, envelope, { 'retry-after': '7' }) });
  const error = await failureOf(createClient(service).createSession());
  assert.ok(isApiError(error));
  assert.equal(
    [error.status, error.code, error.message, error.details, error.retryAfterSeconds],
    [429, 'quota_exceeded', 'Too many.', { limit: 3 }, 7],
  );
  await service.close();
});

test('an error that a proxy made up is an ApiError too', async () => {
  const service = await startFakeService({
    '*': (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>'),
  });
  const error = await failureOf(createClient(service).health());
  assert.ok(isApiError(error));
  assert.equal([error.status, error.code, error.retryAfterSeconds], [502, 'http_502', undefined]);
  await service.close();
});

test('without an answer, the error is the one of fetch', async () => {
  const service = await startFakeService({});
  await service.close();
  const error = await failureOf(createClient(service).health());
  assert.ok(error instanceof TypeError);
  assert.not.ok(isApiError(error));
});

test('a given fetch is used', async () => {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'http://service.test',
    fetch: async (input) => {
      asked.push(String(input));
      return Response.json({ sessions: [] });
    },
  });
  assert.equal(await client.listSessions(), { sessions: [] });
  assert.equal(asked, ['http://service.test/api/sessions']);
});

function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.unreachable('should have failed'),
    (error: unknown) => error,
  );
}

test.run();
