import type { ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, isApiError } from '../../lib/client/index.ts';
import type { SessionEvent } from '../../lib/wire/event.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { within } from '../helpers/within.ts';
import { type Answer, frame, json, startFakeService, stream } from './fake-service.ts';

const test = suite('sendAndWait resolves when the run has ended, however it ended');
const sessionId = 'ses_1';
const runId = 'run_1';
const events = 'GET /api/sessions/ses_1/events';
const messages = 'POST /api/sessions/ses_1/messages';

const reply = { id: 'msg_2', role: 'assistant', content: 'Hello.', createdAt: '2026-01-01T00:00:00.000Z' } as const;
const completed: SessionEvent = { type: 'message.completed', sessionId, message: reply };
const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 };
const finished: SessionEvent = { type: 'run.finished', sessionId, runId, status: 'completed', usage };

/** A service with one session, whose run plays `script` when a message arrives. */
function oneSession(script: SessionEvent[], more: Record<string, Answer> = {}) {
  let listener: ServerResponse | undefined;
  return startFakeService({
    [events]: stream((response) => {
      listener = response;
    }),
    [messages]: (response, seen) => {
      if (!listener) return json(500, { error: { code: 'too_early', message: 'nobody listens yet' } })(response, seen);
      // The events overtake the answer on purpose: they travel on another connection.
      for (const [at, event] of script.entries()) listener.write(frame(100 + at, event));
      setTimeout(() => json(202, { runId })(response, seen), 30);
    },
    ...more,
  });
}

test('it subscribes before it sends, and returns the last word of the assistant', async () => {
  const other: SessionEvent = { ...finished, runId: 'run_0' };
  const service = await oneSession([other, { type: 'run.started', sessionId, runId }, completed, finished]);
  const seen: string[] = [];
  const result = await within(
    5_000,
    createClient(service).sendAndWait(sessionId, 'hi', { onEvent: ({ event }) => seen.push(event.type) }),
  );
  assert.equal(result, { runId, status: 'completed', usage, message: reply });
  assert.equal(seen, ['run.finished', 'run.started', 'message.completed', 'run.finished']);
  assert.equal(service.seen.find(({ method }) => method === 'POST')?.body, { content: 'hi' });
  await service.close();
});

test('an end that was lost in a gap shows at the end of the next run', async () => {
  const later = 'run_2';
  const states = ['running', 'idle'];
  const service = await oneSession(
    [
      { type: 'stream.gap', sessionId, reason: 'evicted', resumedFrom: 99 },
      { type: 'run.started', sessionId, runId: later },
      { ...finished, runId: later },
    ],
    {
      'GET /api/sessions/ses_1': (response, seen) =>
        json(200, { session: { status: states.shift() ?? 'idle', messages: [reply] } })(response, seen),
    },
  );
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi'));
  assert.equal(result, { runId, status: 'completed', message: reply });
  await service.close();
});

test('a failed run is a result, not an exception', async () => {
  const service = await oneSession([{ type: 'run.failed', sessionId, runId, error: 'the model said no' }]);
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi'));
  assert.equal(result, { runId, status: 'failed', error: 'the model said no' });
  await service.close();
});

test('a refused message rejects with the error of the service', async () => {
  const busy = json(409, { error: { code: 'session_busy', message: 'A run is active.' } });
  const service = await oneSession([], { [messages]: busy });
  const error = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi')).catch(
    (reason: unknown) => reason,
  );
  assert.ok(isApiError(error) && error.code === 'session_busy');
  await service.close();
});

test('approvals are decided by the given function', async () => {
  const approval = {
    id: 'apr_1',
    call: { id: 'c', name: 'shell', arguments: {} },
    reason: 'asks',
    requestedAt: reply.createdAt,
    expiresAt: reply.createdAt,
    sessionId,
    rootSessionId: sessionId,
  };
  let listener: ServerResponse | undefined;
  const service = await oneSession([], {
    [events]: stream((response) => {
      listener = response;
    }),
    [messages]: (response, seen) => {
      listener?.write(frame(1, { type: 'approval.requested', sessionId, approval }));
      json(202, { runId })(response, seen);
    },
    'POST /api/sessions/ses_1/approvals/apr_1': (response, seen) => {
      json(200, { resolved: true })(response, seen);
      listener?.write(frame(2, finished));
    },
  });
  const approve = ({ call }: { call: { name: string } }) => ({ approved: call.name === 'shell', note: 'go' });
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi', { approve }));
  assert.is(result.status, 'completed');
  assert.equal(service.seen.at(-1)?.body, { approved: true, note: 'go' });
  await service.close();
});

for (const [status, expected] of [
  ['idle', { runId, status: 'completed', message: reply }],
  ['cancelled', { runId, status: 'cancelled', message: reply }],
  ['interrupted', { runId, status: 'failed', error: 'The run was interrupted.', message: reply }],
] as const)
  test(`after a gap, a session that is ${status} tells how the run ended`, async () => {
    const service = await oneSession([{ type: 'stream.gap', sessionId, reason: 'evicted', resumedFrom: 1 }], {
      'GET /api/sessions/ses_1': json(200, { session: { status, messages: [reply] } }),
    });
    assert.equal(await within(5_000, createClient(service).sendAndWait(sessionId, 'hi')), expected);
    await service.close();
  });

test('after a gap, a run that said nothing is not given the words of an earlier one', async () => {
  const question = { ...reply, id: 'msg_2', role: 'user', content: 'hi' };
  const service = await oneSession([{ type: 'stream.gap', sessionId, reason: 'restarted', resumedFrom: 1 }], {
    'GET /api/sessions/ses_1': json(200, { session: { status: 'interrupted', messages: [reply, question] } }),
  });
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi'));
  assert.equal(result, { runId, status: 'failed', error: 'The run was interrupted.' });
  await service.close();
});

test('a connection that broke before its first event loses nothing', async () => {
  let opened = 0;
  let listener: ServerResponse | undefined;
  const service = await oneSession([], {
    [events]: stream((response) => {
      opened++;
      listener = response;
    }),
    [messages]: (response, seen) => {
      json(202, { runId })(response, seen);
      setTimeout(() => listener?.destroy(), 20);
    },
    'GET /api/sessions/ses_1': json(200, { session: { status: 'idle', messages: [reply] } }),
  });
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi'));
  assert.equal(result, { runId, status: 'completed', message: reply });
  assert.is(opened, 2);
  await service.close();
});

test('an abort stops the waiting with its reason', async () => {
  const service = await oneSession([]);
  const abort = new AbortController();
  const waiting = createClient(service).sendAndWait(sessionId, 'hi', { signal: abort.signal });
  setTimeout(() => abort.abort(new Error('enough')), 60);
  assert.is(
    await within(
      5_000,
      waiting.catch((error: Error) => error.message),
    ),
    'enough',
  );
  await service.close();
});

test('a run that is interrupted without an end of its own is a failed one', async () => {
  const session = { id: sessionId, status: 'interrupted' } as SessionSummary;
  const service = await oneSession([{ type: 'session.updated', sessionId, session }], {
    'GET /api/sessions/ses_1': json(200, { session: { status: 'interrupted', messages: [] } }),
  });
  const result = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi'));
  assert.equal(result, { runId, status: 'failed', error: 'The run was interrupted.' });
  await service.close();
});

test('a session that is deleted meanwhile rejects', async () => {
  const service = await oneSession([{ type: 'session.deleted', sessionId }]);
  const error = await within(5_000, createClient(service).sendAndWait(sessionId, 'hi')).catch(
    (reason: unknown) => reason,
  );
  assert.ok(isApiError(error) && error.code === 'session_not_found');
  await service.close();
});

test.run();
