import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';
import { calls } from './cells.ts';
import { accounts, bearer, bootstrapToken, type Person, person, sessionOf } from './people.ts';

const sessionRoutes = handlers.map(({ route }) => route).filter(({ path }) => path.startsWith('/api/sessions/:id'));

/** Everything of an answer that a client can see. */
async function answerOf(
  app: TestApp,
  { headers }: Pick<Person, 'headers'>,
  route: (typeof sessionRoutes)[0],
  id: string,
) {
  const { body = {}, query } = calls[`${route.method} ${route.path}`] ?? {};
  const path = route.path.replace(':id', id).replace(/:\w+/g, 'any');
  const response = await app.fetch(`${path}${query ? `?${query}` : ''}`, {
    method: route.method,
    // Given by the client, since one that the service makes is new in every answer.
    headers: { ...headers, 'x-request-id': 'the-same' },
    ...(route.method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
  return JSON.stringify([response.status, response.statusText, [...response.headers], await response.text()]);
}

const foreign = suite('Every session route answers another tenant, byte for byte, as if the session did not exist');

foreign('also ids that were deleted, never existed, or can not be ids', () =>
  withApp({ env: accounts, models: [scriptedModel()] }, async (app) => {
    const owner = await person(app, { name: 'Owner', tenantId: 'a' });
    const other = await person(app, { name: 'Other', tenantId: 'b' });
    const administrator = { headers: bearer(bootstrapToken) };
    const { id } = await sessionOf(app, owner);
    const deleted = (await sessionOf(app, other)).id;
    await app.call('DELETE', `/api/sessions/${deleted}`, { status: 204, headers: other.headers });
    const neverThere = `ses_${'0'.repeat(26)}`;
    const ids = [id, deleted, 'x', 'SES_', '__proto__', 'constructor', '%2e%2e%2fetc', '*', id.toLowerCase(), `${id}0`];
    assert.ok(sessionRoutes.length > 15);
    for (const route of sessionRoutes) {
      const expected = await answerOf(app, other, route, neverThere);
      assert.match(expected, '"session_not_found"'.replaceAll('"', '\\"'));
      assert.match(expected, /^\[404,/);
      for (const caller of [other, administrator])
        for (const asked of ids)
          assert.is(await answerOf(app, caller, route, asked), expected, `${route.path} ${asked}`);
      assert.is(await answerOf(app, owner, route, deleted), expected);
    }
    assert.is((await app.call<{ session: { id: string } }>('GET', `/api/sessions/${id}`, owner)).session.id, id);
  }),
);

foreign('whatever its body says, or does not', () =>
  withApp({ env: accounts, models: [scriptedModel()] }, async (app) => {
    const owner = await person(app, { name: 'Owner', tenantId: 'a' });
    const other = await person(app, { name: 'Other', tenantId: 'b' });
    const { id } = await sessionOf(app, owner);
    const isTooLarge = `{"content":"${'x'.repeat(200_001)}"}`;
    for (const { method, path } of sessionRoutes.filter(({ method }) => method === 'POST' || method === 'PATCH'))
      for (const body of [undefined, '', '{}', '{', '[]', 'null', '{"title":""}', isTooLarge]) {
        const init = { method, headers: other.headers, ...(body === undefined ? {} : { body }) };
        const answer = await app.fetch(path.replace(':id', id).replace(/:\w+/g, 'any'), init);
        const { error } = (await answer.json()) as { error: { code: string } };
        assert.equal(
          [answer.status, error.code],
          [404, 'session_not_found'],
          `${method} ${path} ${body?.slice(0, 20)}`,
        );
      }
  }),
);

foreign('lists, usage and approvals show the own tenant only', () =>
  withApp({ env: accounts, models: [askingModel()], tools: [askingTool] }, async (app) => {
    const owner = await person(app, { name: 'Owner', tenantId: 'a' });
    const other = await person(app, { name: 'Other', tenantId: 'b' });
    const { id } = await sessionOf(app, owner);
    const stream = await app.events(`/api/sessions/${id}/events`, owner.headers);
    await app.call('POST', `/api/sessions/${id}/messages`, {
      ...owner,
      status: 202,
      body: { content: 'canary-words' },
    });
    const seen = await stream.until('approval.requested');
    for (const path of [
      '/api/sessions',
      '/api/usage',
      '/api/usage?tenant=a',
      '/api/approvals',
      '/api/sessions?q=canary',
      '/api/search?q=canary',
    ]) {
      const text = JSON.stringify(await app.call('GET', path, other));
      assert.not.match(text, id);
      assert.not.match(text, /canary|"tenantId":"a"/);
    }
    for (const path of ['/api/approvals', '/api/search?q=canary'])
      assert.match(JSON.stringify(await app.call('GET', path, owner)), id);
    const approval = seen.at(-1)?.event;
    const approvalId = approval?.type === 'approval.requested' ? approval.approval.id : '';
    const mine = await sessionOf(app, other);
    for (const [sessionId, code] of [
      [id, 'session_not_found'],
      [mine.id, 'approval_not_found'],
    ]) {
      const { error } = await app.call<{ error: { code: string } }>(
        'POST',
        `/api/sessions/${sessionId}/approvals/${approvalId}`,
        { ...other, status: 404, body: { approved: true } },
      );
      assert.is(error.code, code);
    }
    const { usage, tenantId } = await app.call<{ usage: object; tenantId: string }>('GET', '/api/usage?tenant=a', {
      headers: bearer(bootstrapToken),
    });
    assert.is(tenantId, 'a');
    assert.type(usage, 'object');
    await stream.close();
  }),
);

foreign.run();

const askingTool = {
  name: 'act',
  description: 'Acts.',
  permission: 'ask' as const,
  parameters: { type: 'object' },
  execute: () => 'done',
};

function askingModel() {
  return scriptedModel([{ toolCalls: [callOf('act')] }]);
}
