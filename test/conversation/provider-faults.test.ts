import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply, Step } from '../helpers/scripted-model/script.ts';
import { only } from '../helpers/with-app.ts';
import { models, startWorld, turn, type World } from './two-providers.ts';

const test = suite('A provider that misbehaves');
let world: World;

test.before(async () => {
  const agent = { retry: { attempts: 2, baseDelayMs: 1, maxDelayMs: 10 } };
  world = await startWorld({ chunking: 'nasty' }, { agent, provider: { timeoutMs: 1_500, idleTimeoutMs: 400 } });
});
test.after(() => world.close());

async function play(model: (typeof models)[number], ...replies: Reply[]) {
  const before = world.model.requests.length;
  world.script(...replies);
  const sessionId = await world.newSession(model);
  const result = await turn(world.service, sessionId);
  const requests = world.model.requests.slice(before);
  assert.equal(
    requests.flatMap(({ problem }) => problem ?? []),
    [],
    'every request is valid',
  );
  return { ...result, sessionId, requests: requests.length, last: JSON.stringify(requests.at(-1)?.body) };
}

const drip: Step[] = Array.from({ length: 40 }, (_, n) => [{ text: `${n} ` }, { delayMs: 100 }]).flat();
const call = (name: string, args: Record<string, unknown> | string, id?: string): Step => ({
  toolCall: { name, arguments: args, ...(id === undefined ? {} : { id }) },
});

for (const model of models) {
  test(`${model}: silence ends by idleTimeoutMs and is tried again`, async () => {
    const { status, error, notices, requests } = await play(
      model,
      [{ headers: {} }, { hang: true }],
      [{ headers: {} }, { hang: true }],
    );
    assert.equal([status, requests, notices.length], ['failed', 2, 1]);
    assert.match(error, /nothing arrived for 400 ms \(idleTimeoutMs\)/);
  });

  test(`${model}: a stream that never ends is over after timeoutMs; what it said is kept`, async () => {
    const { status, error, requests, sessionId } = await play(model, drip);
    assert.equal([status, requests], ['failed', 1]);
    assert.match(error, /no complete answer within 1500 ms \(timeoutMs\)/);
    const { session } = await world.service.client.readSession(sessionId);
    assert.equal([session.status, session.messages.at(-1)?.meta], ['error', { partial: true }]);
    assert.match(session.messages.at(-1)?.content ?? '', /^0 1 2 /);
  });

  for (const [what, reply, expected] of [
    ['HTML with 200', [{ html: '<html><title>Sign in to the hotel</title></html>' }], /Sign in to the hotel/],
    ['JSON that is no answer', [{ raw: '{"ok":true}' }], /./],
    ['an empty body', [{ headers: {} }, { end: true }], /./],
    ['garbage events', [{ raw: 'data: {{{\n\ndata: nope\n\n' }], /./],
  ] satisfies [string, Reply, RegExp][])
    test(`${model}: ${what} fails the run with a sentence`, async () => {
      const { status, error } = await play(model, reply, reply);
      assert.is(status, 'failed');
      assert.match(error, expected);
      assert.match(error, /\w+.* .*\w/);
      assert.not.match(error, /undefined|\[object|TypeError|SyntaxError| at /);
    });

  test(`${model}: arguments that are no JSON never run; the model is told and goes on`, async () => {
    const { status, events, last } = await play(
      model,
      [call('write_file', '{"path": "x", "content": ')],
      [{ text: 'sorry' }],
    );
    assert.is(status, 'completed');
    const [result] = only(events, 'tool.finished');
    assert.is(result?.result.ok, false);
    assert.match(result?.result.content ?? '', /not valid/);
    assert.match(last, /not valid/);
  });

  test(`${model}: an unknown tool and arguments against the schema get results, too`, async () => {
    const { status, events } = await play(
      model,
      [call('no_such_tool', {}, 'a'), call('read_file', { path: 7 }, 'b')],
      [{ text: 'ok' }],
    );
    assert.is(status, 'completed');
    assert.equal(
      only(events, 'tool.finished').map(({ result }) => result.ok),
      [false, false],
    );
  });

  test(`${model}: the same call id twice, in one reply and again later, becomes two calls with two results`, async () => {
    const list = call('list_files', {}, 'same');
    const { status, events } = await play(model, [list, list], [list], [{ text: 'ok' }]);
    assert.is(status, 'completed');
    const ids = only(events, 'tool.finished').map(({ result }) => result.callId);
    assert.equal([ids.length, new Set(ids).size], [3, 3]);
  });

  test(`${model}: a refusal and a reply at its limit complete the run with a notice`, async () => {
    for (const [finish, said] of [
      ['content_filter', /declined/],
      ['length', /cut off/],
    ] as const) {
      const { status, notices } = await play(model, [{ text: 'I can' }, { finish }]);
      assert.is(status, 'completed');
      assert.match(notices.join(), said);
    }
  });

  test(`${model}: a missing usage counts nothing`, async () => {
    const { status, events } = await play(model, [{ text: 'ok' }, { usage: 'none' }]);
    assert.is(status, 'completed');
    assert.is(only(events, 'run.finished')[0]?.usage?.outputTokens ?? 0, 0);
  });
}

test.run();
