import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { Approval } from '../../lib/wire/approval.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { pixel } from '../helpers/pixel.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const test = suite('What a console needs beyond the contract');

const ask = {
  name: 'launch',
  description: 'Launches something.',
  permission: 'ask' as const,
  parameters: { type: 'object', properties: {} },
  execute: () => 'launched',
};
async function list(app: TestApp, query = ''): Promise<{ sessions: SessionSummary[]; nextCursor?: string }> {
  return app.call('GET', `/api/sessions${query}`, {});
}

test('GET /api/approvals lists what waits, with root, and forgets it once decided', async () => {
  const model = scriptedModel([{ toolCalls: [callOf('launch')] }]);
  await withSession({ models: [model], tools: [ask] }, async (app, session) => {
    assert.equal(await app.call('GET', '/api/approvals', {}), { approvals: [] });
    await session.send('go');
    await session.until('approval.requested');
    const { approvals } = await app.call<{ approvals: Approval[] }>('GET', '/api/approvals', {});
    assert.is(approvals.length, 1);
    assert.is(approvals[0]?.rootSessionId, session.id);
    assert.is(approvals[0]?.call.name, 'launch');
    await app.call('POST', `${session.path}/approvals/${approvals[0]?.id}`, { body: { approved: true } });
    assert.equal(await app.call('GET', '/api/approvals', {}), { approvals: [] });
  });
});

test('GET /api/approvals keeps to the tenant of the caller', async () => {
  const settings = { auth: { mode: 'accounts', bootstrapToken: 'first-administrator-token' } };
  const model = scriptedModel([{ toolCalls: [callOf('launch')] }]);
  await withApp({ models: [model], tools: [ask], settings }, async (app) => {
    const admin = { authorization: 'Bearer first-administrator-token' };
    await app.call('POST', '/api/tenants', { status: 201, body: { id: 'acme', name: 'Acme' }, headers: admin });
    const { token } = await app.call<{ token: string }>('POST', '/api/users', {
      status: 201,
      body: { name: 'Ada', tenantId: 'acme' },
      headers: admin,
    });
    const ada = { authorization: `Bearer ${token}` };
    const { session } = await app.call<{ session: { id: string } }>('POST', '/api/sessions', {
      status: 201,
      headers: ada,
    });
    const stream = await app.events(`/api/sessions/${session.id}/events`, ada);
    await app.call('POST', `/api/sessions/${session.id}/messages`, {
      status: 202,
      body: { content: 'go' },
      headers: ada,
    });
    await stream.until('approval.requested');
    const seen = (headers: Record<string, string>) =>
      app.call<{ approvals: Approval[] }>('GET', '/api/approvals', { headers });
    assert.is((await seen(ada)).approvals.length, 1);
    assert.is((await seen(admin)).approvals.length, 0);
    await stream.close();
  });
});

test('summaries of running sessions say what the run is doing', async () => {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const model = scriptedModel([
    { toolCalls: [callOf('launch')] },
    async (_request, io) => {
      io.onDelta('reasoning', 'hm');
      await Promise.resolve();
      await gate;
      return { content: 'fine' };
    },
  ]);
  await withSession({ models: [model], tools: [ask] }, async (app, session) => {
    const activity = async () => (await list(app)).sessions[0]?.activity;
    assert.is(await activity(), undefined);
    await session.send('go');
    await session.until('approval.requested');
    const waiting = await activity();
    const { approvals } = await app.call<{ approvals: Approval[] }>('GET', '/api/approvals', {});
    assert.is(waiting?.phase, 'approval');
    assert.is(waiting?.tool, 'launch');
    assert.is(waiting?.approvalId, approvals[0]?.id);
    assert.ok(Date.parse(waiting?.since ?? '') > 0);
    assert.equal((await app.detail(session.id)).activity, waiting);
    await app.call('POST', `${session.path}/approvals/${approvals[0]?.id}`, { body: { approved: true } });
    await session.until('message.delta');
    assert.is((await activity())?.phase, 'thinking');
    go();
    await session.until('run.finished');
    assert.is(await activity(), undefined);
  });
});

test('sessions are listed in pages, by status, words and roots', async () => {
  await withApp({ models: [scriptedModel()] }, async (app) => {
    for (const title of ['alpha one', 'beta two', 'alpha three', 'gamma']) await app.newSession({ title });
    const titles = async (query: string) => (await list(app, query)).sessions.map((session) => session.title);
    assert.equal(await titles(''), ['gamma', 'alpha three', 'beta two', 'alpha one']);
    assert.equal(await titles('?q=ALPHA'), ['alpha three', 'alpha one']);
    assert.equal(await titles('?q=alpha%20one'), ['alpha one']);
    assert.equal(await titles('?status=running,error'), []);
    assert.is((await titles('?status=idle&roots=1')).length, 4);
    const first = await list(app, '?limit=3');
    assert.equal(
      first.sessions.map((session) => session.title),
      ['gamma', 'alpha three', 'beta two'],
    );
    const second = await list(app, `?limit=3&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    assert.equal(
      second.sessions.map((session) => session.title),
      ['alpha one'],
    );
    assert.is(second.nextCursor, undefined);
    for (const query of ['?limit=0', '?limit=x', '?limit=1001', '?status=odd', '?cursor=odd'])
      assert.match(await (await app.fetch(`/api/sessions${query}`)).text(), /invalid_body/, query);
  });
});

test('transcripts come in pages without image bytes; those have an address of their own', async () => {
  await withSession({ models: [scriptedModel([{ content: 'one' }, { content: 'two' }])] }, async (app, session) => {
    await session.send('first', { images: [{ mimeType: 'image/png', data: pixel, name: 'dot.png' }] });
    await session.until('run.finished');
    await session.send('second');
    await session.until('run.finished');
    interface Page {
      messages: { id: string; content: string; images?: { hash: string; mimeType: string; data?: string }[] }[];
      more: boolean;
      total: number;
    }
    const page = (query: string) => app.call<Page>('GET', `${session.path}/messages${query}`, {});
    const newest = await page('?limit=2');
    assert.equal(
      newest.messages.map((message) => message.content),
      ['second', 'two'],
    );
    assert.equal([newest.more, newest.total], [true, 4]);
    const older = await page(`?limit=2&before=${newest.messages[0]?.id}`);
    assert.equal(
      older.messages.map((message) => message.content),
      ['first', 'one'],
    );
    assert.is(older.more, false);
    const image = older.messages[0]?.images?.[0];
    assert.is(image?.data, undefined);
    const answer = await app.fetch(`${session.path}/images/${image?.hash}`);
    assert.is(answer.headers.get('content-type'), 'image/png');
    assert.is(Buffer.from(await answer.arrayBuffer()).toString('base64'), pixel);
    assert.is((await app.fetch(`${session.path}/images/${'0'.repeat(64)}`)).status, 404);
    assert.is((await app.fetch(`${session.path}/messages?before=msg_none`)).status, 404);
    assert.is((await app.fetch(`${session.path}/messages?limit=0`)).status, 400);
  });
});

test('a cursor of a stranger is refused, however it is made', async () => {
  await withApp({}, async (app) => {
    await app.newSession();
    const time = '2026-01-01T00:00:00.000Z';
    for (const cursor of [
      '',
      '~',
      'x',
      `${time}~`,
      `~${time}`,
      'never~ses_1',
      `${'~'.repeat(400_000)} `,
      `${' '.repeat(40)}${time}~x`,
    ]) {
      const response = await app.fetch(`/api/sessions?cursor=${encodeURIComponent(cursor)}`);
      assert.is(response.status, 400, cursor.slice(0, 50));
    }
    assert.equal((await list(app, `?cursor=${time}~ses_0`)).sessions, []);
  });
});

test('a page of a running session carries the reply as far as it was streamed', async () => {
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => {
    go = resolve;
  });
  const model = scriptedModel([
    async (_request, io) => {
      io.onDelta('text', 'half');
      await gate;
      io.onDelta('text', ' and half');
      return { content: 'half and half' };
    },
  ]);
  await withSession({ models: [model] }, async (app, session) => {
    interface Page {
      streaming?: { id: string; content: string };
      lastSeq: number;
    }
    await session.send('go');
    await session.until('message.delta');
    const page = await app.call<Page>('GET', `${session.path}/messages`, {});
    assert.is(page.streaming?.content, 'half');
    go();
    const rest = await session.until('run.finished');
    const delta = rest.find((event) => event.type === 'message.delta');
    assert.is(delta?.type === 'message.delta' && delta.delta, ' and half');
    assert.is((await app.call<Page>('GET', `${session.path}/messages`, {})).streaming, undefined);
  });
});

test('a page tells nothing of a reply whose events are still to come, so that no word comes twice', async () => {
  let release = (): void => undefined;
  const stored = new Promise<void>((resolve) => {
    release = resolve;
  });
  const store = createMemoryStore();
  const commit: SessionStore['commit'] = async (change) => {
    if (change.change.kind === 'appended') await stored;
    return store.commit(change);
  };
  const half = scriptedModel([{ content: 'half and half' }]);
  await withSession({ models: [half], store: { ...store, commit } }, async (app, session) => {
    const sent = session.send('go');
    await eventually(2_000, () => app.app.runs.activeRun(session.id)?.streaming !== undefined);
    await nextTurn();
    interface Page {
      streaming?: { content: string };
      lastSeq: number;
    }
    const page = await app.call<Page>('GET', `${session.path}/messages`, {});
    release();
    await sent;
    let text = page.streaming?.content ?? '';
    for (const event of await session.until('run.finished')) if (event.type === 'message.delta') text += event.delta;
    assert.is(text, 'half and half');
  });
});

test.run();
