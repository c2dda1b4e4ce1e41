import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type ModelRequest, ProviderError } from '../../lib/models/model.ts';
import { createEstimator } from '../../lib/run/estimate.ts';
import { renderForSummary } from '../../lib/run/render-history.ts';
import { undoOf } from '../../lib/session/undo-change.ts';
import { applyToMessages, type SessionChange } from '../../lib/store/change.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { only, type TestSession, withSession } from '../helpers/with-app.ts';

const createdAt = '2026-01-01T00:00:00.000Z';
const said = (content: string, more: Partial<StoredMessage> = {}): StoredMessage => ({
  id: 'm',
  role: 'user',
  content,
  createdAt,
  ...more,
});

const estimate = suite('The estimate of a prompt');

estimate('is characters / 4, 4 more per message, and 1100 per image', () => {
  const { messages, prompt } = createEstimator();
  const image = { mimeType: 'image/png', hash: 'h', bytes: 3_000_000 } as const;
  assert.is(messages([]), 0);
  assert.is(messages([said('x'.repeat(400))]), 104);
  assert.is(messages([said('x'.repeat(400)), said('')]), 108);
  assert.is(messages([said('x'.repeat(400), { images: [image, image] })]), 2_304);
  const call = callOf('t', { a: 'y'.repeat(1_000) }, 'c');
  assert.is(
    messages([said('', { role: 'assistant', toolCalls: [call] })]),
    Math.ceil(JSON.stringify([call]).length / 4) + 4,
  );
  assert.is(messages([said('z'.repeat(100_000), { role: 'tool' })]), 15_004, 'what is sent of a tool result is 60,000');
  assert.is(prompt('s'.repeat(40), []), 10);
});

estimate('is the same whatever became of the transcript since the last one', () => {
  const text = fc.string({ maxLength: 40 });
  const change = fc.oneof(
    fc.record({ kind: fc.constant('appended' as const), texts: fc.array(text, { maxLength: 3 }) }),
    fc.record({ kind: fc.constant('truncated' as const), keep: fc.nat(8) }),
    fc.record({ kind: fc.constant('compacted' as const), removed: fc.integer({ min: 1, max: 4 }), text }),
  );
  const step = fc.record({ change, isTakenBack: fc.boolean(), isAsked: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const transcript: StoredMessage[] = [];
      const { messages } = createEstimator();
      for (const { change: drawn, isTakenBack, isAsked } of steps) {
        if (drawn.kind === 'compacted' && drawn.removed > transcript.length) continue;
        const change = changeOf(drawn);
        const undo = undoOf(transcript, change);
        applyToMessages(transcript, change);
        if (isAsked) messages(transcript);
        if (isTakenBack) undo();
        assert.is(messages(transcript), createEstimator().messages(transcript));
      }
    }),
  );
});

type Drawn =
  | { kind: 'appended'; texts: string[] }
  | { kind: 'truncated'; keep: number }
  | { kind: 'compacted'; removed: number; text: string };

function changeOf(drawn: Drawn): SessionChange {
  const fields = {};
  if (drawn.kind === 'appended') return { kind: drawn.kind, messages: drawn.texts.map((text) => said(text)), fields };
  if (drawn.kind === 'truncated') return { ...drawn, fields };
  return { kind: drawn.kind, removed: drawn.removed, summary: said(drawn.text), fields };
}

const input = suite('What the summariser reads');

input('is bounded, whatever the history holds', () => {
  const history = Array.from({ length: 500 }, (_, n) =>
    said(`${n} ${'x'.repeat(20_000)}`, { role: n % 2 ? 'assistant' : 'user' }),
  );
  const text = renderForSummary(history, 32_000);
  assert.ok(text.length <= 32_000);
  assert.match(text, /## Person\n0 xxx/);
  assert.match(text, /499 xxx/, 'the newest part is kept as well as the oldest');
});

const compaction = suite('Compaction happens');
const isSummary = ({ system }: ModelRequest) => system.includes('summary');
const note = { name: 'note', description: 'Notes.', parameters: { type: 'object' }, execute: () => 'n'.repeat(2_000) };

function settings(compactionSettings: object, retry: object = {}) {
  return {
    model: { maxSteps: 40 },
    agent: { compaction: { keepRecent: 2, ...compactionSettings }, retry: { baseDelayMs: 1, ...retry } },
    plugins: { directories: [] },
  };
}

async function send(session: TestSession, content: string) {
  await session.send(content);
  return session.until('run.finished');
}

compaction('in the middle of a long run, as soon as the estimate crosses the threshold of the window', async () => {
  const rounds = Array.from(
    { length: 12 },
    (_, n): Reply =>
      (request) =>
        isSummary(request) ? { content: 'SUMMARY' } : { toolCalls: [callOf('note', {}, `c${n}`)] },
  );
  const model = scriptedModel(
    ['one', 'two', 'three'].map((content): Reply => ({ content: content.repeat(400) })).concat(rounds),
    { contextWindow: 10_000 },
  );
  await withSession(
    { models: [model], tools: [note], settings: settings({ threshold: 0.5 }) },
    async (app, session) => {
      for (const turn of ['first', 'second', 'third']) await send(session, turn);
      const seen = await send(session, 'fourth, a long one');
      const compacted = only(seen, 'context.compacted');
      assert.is(compacted.length, 1, 'behind the last user message there is nothing to cut');
      const [event] = compacted;
      assert.ok(event && event.tokensBefore >= 5_000 && event.tokensBefore < 5_000 + 600, 'at the first step over it');
      assert.equal([event.removedMessages, event.tokensAfter < 5_000], [6, true]);
      const at = model.requests.findIndex(isSummary);
      const [before, after] = [model.requests[at - 1]?.messages ?? [], model.requests[at + 1]?.messages ?? []];
      assert.equal(
        [before[0]?.content, after[0]?.content, after[1]?.content],
        ['first', 'SUMMARY', 'fourth, a long one'],
      );
      const removed = before.slice(0, 6).reduce((sum, { content }) => sum + Math.ceil(content.length / 4) + 4, 0);
      assert.is(event.tokensBefore - event.tokensAfter, removed - (Math.ceil('SUMMARY'.length / 4) + 4));
      assert.is(
        (await app.detail(session.id)).messageCount,
        event.keptMessages + 1 + (model.requests.length - at - 1) * 2 - 1,
      );
    },
  );
});

compaction('against the window of the model, or the fallback where a model has none', async () => {
  for (const [info, fallbackContextWindow, expected] of [
    [{ contextWindow: 1_000_000 }, 2_000, 0],
    [{ contextWindow: 2_000 }, 1_000_000, 1],
    [{}, 2_000, 1],
    [{}, 1_000_000, 0],
  ] as const) {
    const model = scriptedModel([{ content: 'x'.repeat(8_000) }, { content: 'short' }], info);
    await withSession(
      { models: [model], settings: settings({ fallbackContextWindow, keepRecent: 1 }) },
      async (_, session) => {
        await send(session, 'a');
        assert.is(only(await send(session, 'b'), 'context.compacted').length, expected);
      },
    );
  }
});

compaction('never while it is switched off, and leaves keepRecent messages alone', async () => {
  for (const [more, expected] of [
    [{ enabled: false }, 0],
    [{ keepRecent: 4 }, 0],
    [{ keepRecent: 3 }, 1],
  ] as const) {
    const model = scriptedModel([{ content: 'x'.repeat(8_000) }, { content: 'reply' }, { content: 'sum' }], {
      contextWindow: 2_000,
    });
    await withSession({ models: [model], settings: settings({ ...more }) }, async (_, session) => {
      await send(session, 'a');
      const second = only(await send(session, 'b'), 'context.compacted').length;
      assert.is(second, 0, 'two removable messages and a boundary behind them are needed');
      assert.is(only(await send(session, 'c'), 'context.compacted').length, expected);
    });
  }
});

compaction('with the retries of any other model call', async () => {
  const busy = () => Promise.reject(new ProviderError('busy', { retryable: true }));
  const model = scriptedModel([{ content: 'x'.repeat(8_000) }, busy, { content: 'sum' }, { content: 'end' }], {
    contextWindow: 2_000,
  });
  await withSession({ models: [model], settings: settings({ keepRecent: 1 }) }, async (_, session) => {
    await send(session, 'a');
    const seen = await send(session, 'b');
    assert.is(only(seen, 'context.compacted').length, 1);
    assert.match(only(seen, 'notice')[0]?.message ?? '', /busy Trying again/);
  });
});

compaction('at most once per step, again in the next step after a failure, and not for ever', async () => {
  const answers: Reply = (request) => (isSummary(request) ? { content: '' } : { toolCalls: [callOf('note', {}, '')] });
  const model = scriptedModel([{ content: 'x'.repeat(8_000) }, ...Array.from({ length: 13 }, () => answers)], {
    contextWindow: 2_000,
  });
  await withSession({ models: [model], tools: [note], settings: settings({ keepRecent: 1 }) }, async (_, session) => {
    await send(session, 'a');
    const seen = await send(session, 'b');
    assert.equal(model.requests.slice(1, 9).map(isSummary), [true, false, true, false, true, false, false, false]);
    assert.is(only(seen, 'notice').length, 3);
  });
});

compaction('on request: cancelled, deleted and without its model it answers as such', async () => {
  const hang: Reply = (_request, io) =>
    new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason)));
  const model = scriptedModel([{ content: 'r' }, { content: 'r' }, { content: 'r' }, hang, hang]);
  await withSession({ models: [model], settings: settings({}) }, async (app, session) => {
    for (const turn of ['a', 'b', 'c']) await send(session, turn);
    const compacting = app.call('POST', `${session.path}/compact`, {});
    await app.call('POST', `${session.path}/messages`, { status: 409, body: { content: 'busy' } });
    assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: true });
    assert.equal(await compacting, { compacted: false });
    await app.call('PATCH', session.path, { body: { title: 'free again' } });
    const deleted = app.call('POST', `${session.path}/compact`, { status: 404 });
    await app.call('DELETE', session.path, { status: 204 });
    await deleted;
    const orphan = await app.newSession();
    app.app.models.get = () => undefined;
    await app.call('POST', `/api/sessions/${orphan.id}/compact`, { status: 400 });
  });
});

estimate.run();
input.run();
compaction.run();
