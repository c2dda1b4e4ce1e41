import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { only, withSession } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { models, providerSettings, startWorld, turn, type World } from './two-providers.ts';

const test = suite('A failed model call');
let world: World;

test.before(async () => {
  const agent = { retry: { attempts: 3, baseDelayMs: 100, maxDelayMs: 200 } };
  world = await startWorld({}, { agent });
});
test.after(() => world.close());

/** Plays the answers to one message; how often the server was asked comes with it. */
async function play(model: (typeof models)[number], ...replies: Reply[]) {
  const before = world.model.requests.length;
  world.script(...replies);
  const result = await turn(world.service, await world.newSession(model));
  return { ...result, requests: world.model.requests.length - before };
}

for (const model of models) {
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504, 529])
    test(`${model}: HTTP ${status} is tried again, with one notice`, async () => {
      const { status: end, notices, requests } = await play(model, [{ status }], [{ text: 'ok' }]);
      assert.equal([end, requests, notices.length], ['completed', 2, 1]);
      assert.match(notices[0] ?? '', new RegExp(`HTTP ${status}.*Trying again in 0\\.1 s \\(attempt 2 of 3\\)`));
    });

  for (const status of [400, 401, 403, 404, 413, 422])
    test(`${model}: HTTP ${status} is final, and run.failed says why`, async () => {
      const reply = { status, message: 'the reason of the vendor for k-secret' };
      const { status: end, error, notices, requests } = await play(model, [reply]);
      assert.equal([end, requests, notices], ['failed', 1, []]);
      assert.match(error, new RegExp(`HTTP ${status}: the reason of the vendor`));
      assert.not.match(error, /k-secret/);
    });

  test(`${model}: a connection reset before the first delta is tried again`, async () => {
    const { status, requests, notices } = await play(model, [{ headers: {} }, { reset: true }], [{ text: 'ok' }]);
    assert.equal([status, requests, notices.length], ['completed', 2, 1]);
  });

  test(`${model}: a kept connection that is closed instead of an answer is tried again with a notice each time`, async () => {
    await play(model, [{ text: 'the connection is kept' }]);
    const { status, requests, notices } = await play(model, [{ reset: true }], [{ reset: true }], [{ text: 'ok' }]);
    assert.equal([status, requests, notices.length], ['completed', 3, 2]);
  });

  for (const [delta, step] of [
    ['text', { text: 'half' }],
    ['reasoning', { reasoning: 'half' }],
  ] as const)
    test(`${model}: after a delta of ${delta} it is never tried again`, async () => {
      const { status, notices, requests, events, error } = await play(model, [step, { reset: true }]);
      assert.equal([status, requests, notices], ['failed', 1, []]);
      assert.is(only(events, 'message.delta')[0]?.channel, delta);
      assert.match(error, /closed before the answer was complete/);
    });

  test(`${model}: an error object in a stream is tried again before the first delta, and not after it`, async () => {
    const error = { message: 'overloaded right now', type: 'overloaded_error', code: 503 };
    const before = await play(model, [{ error }], [{ text: 'ok' }]);
    assert.equal([before.status, before.requests, before.notices.length], ['completed', 2, 1]);
    const after = await play(model, [{ text: 'half' }, { error }]);
    assert.equal([after.status, after.requests, after.notices], ['failed', 1, []]);
    assert.match(after.error, /overloaded right now/);
  });
}

test('attempts are counted in all, each wait has its notice, and the last failure is the text of run.failed', async () => {
  const { status, error, notices, requests, events } = await play(
    'chat',
    [{ status: 503 }],
    [{ status: 500 }],
    [{ status: 502, message: 'bad gateway' }],
  );
  assert.equal([status, requests, notices.length], ['failed', 3, 2]);
  assert.match(notices[1] ?? '', /attempt 3 of 3/);
  assert.match(error, /HTTP 502: bad gateway/);
  assert.is(events.at(-1)?.type, 'run.failed');
  assert.is(only(events, 'message.started').filter(({ message }) => message.role === 'assistant').length, 0);
});

const later = new Date(Date.now() + 3_600_000).toUTCString();
for (const [hint, wait] of [
  ['0', '0.0'],
  ['7', '0.2'],
  ['1000000000', '0.2'],
  [later, '0.2'],
  ['Wed, 21 Oct 2015 07:28:00 GMT', '0.1'],
  ['-5', '0.1'],
  ['1e9', '0.1'],
  ['soon', '0.1'],
])
  test(`Retry-After: ${hint} waits ${wait} s where the first delay is at most 0.1 s and the cap 0.2 s`, async () => {
    const { status, notices } = await play('chat', [{ status: 429, retryAfter: hint }], [{ text: 'ok' }]);
    assert.is(status, 'completed');
    assert.match(notices.join(), new RegExp(`in ${wait?.replace('.', '\\.')} s`));
  });

/** A service in this process whose model is behind HTTP all the same. */
async function alone(retry: object, use: Parameters<typeof withSession>[1], replies: Reply[]) {
  const model = await startScriptedModel({ replies });
  try {
    await withSession({ bundled: true, settings: providerSettings(model.url, { agent: { retry } }) }, use);
    return model.requests.length;
  } finally {
    await model.close();
  }
}

test('a connection reset before the headers is tried again, with a notice', async () => {
  const requests = await alone(
    { baseDelayMs: 1 },
    async (_app, session) => {
      await session.send('go');
      assert.is(only(await session.until('run.finished'), 'notice').length, 1);
    },
    [[{ reset: true }], [{ text: 'ok' }]],
  );
  assert.is(requests, 2);
});

test('a call of 60 MB, in one piece or in many, ends the run with a sentence and without a trace', async () => {
  for (const fragments of [undefined, 65_536])
    await alone(
      { attempts: 1 },
      async (app, session) => {
        await session.send('go');
        await session.stream.when(() => session.stream.envelopes.some(({ event }) => /^run.f/.test(event.type)), {
          ms: 20_000,
        });
        const events = session.stream.envelopes.map(({ event }) => event);
        assert.match(only(events, 'run.failed')[0]?.error ?? '', /characters|bytes/);
        assert.ok(JSON.stringify((await app.detail(session.id)).messages).length < 1_000);
      },
      [
        [
          {
            toolCall: {
              name: 'write_file',
              arguments: `{"path":"x","content":"${'y'.repeat(60e6)}"}`,
              ...(fragments ? { fragments } : {}),
            },
          },
        ],
        [{ text: 'ok' }],
      ],
    );
});

test('a wait is over at once when the run is cancelled', async () => {
  const requests = await alone(
    { attempts: 3, baseDelayMs: 100, maxDelayMs: 600_000 },
    async (app, session) => {
      await session.send('go');
      await session.until('notice');
      await app.call('POST', `${session.path}/cancel`, {});
      const [end] = only(await within(1_000, session.until('run.finished')), 'run.finished');
      assert.is(end?.status, 'cancelled');
    },
    [[{ status: 429, retryAfter: '500' }], [{ text: 'never' }]],
  );
  assert.is(requests, 1);
});

test('attempts: 1 turns retries off', async () => {
  const requests = await alone(
    { attempts: 1 },
    async (_app, session) => {
      await session.send('go');
      const seen = await session.until('run.failed');
      assert.equal(only(seen, 'notice'), []);
    },
    [[{ status: 503 }], [{ text: 'never' }]],
  );
  assert.is(requests, 1);
});

test.run();
