import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelRequest } from '../../lib/models/model.ts';
import { findCut } from '../../lib/run/compaction.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { only, types, withSession } from '../helpers/with-app.ts';

const compaction = suite('Compaction');

const isSummary = (request: ModelRequest) => request.system.includes('summary');
const long = (label: string) => `${label} ${'x'.repeat(4_000)}`;

function settings(more: object = {}) {
  return {
    agent: { compaction: { keepRecent: 2, fallbackContextWindow: 8_000, ...more } },
    plugins: { directories: [] },
  };
}

/** Answers conversations with long replies, and summaries with `summary`. */
function talkative(summary: Reply, turns = 20) {
  return scriptedModel(
    Array.from(
      { length: turns },
      (_, turn): Reply =>
        (request, io) => {
          if (!isSummary(request)) return { content: long(`reply ${turn}`) };
          return typeof summary === 'function' ? summary(request, io) : summary;
        },
    ),
  );
}

compaction('cuts on a user message, with at least two messages to remove', () => {
  const history = (roles: string) =>
    [...roles].map(
      (role, index): StoredMessage => ({
        id: String(index),
        role: role === 'u' ? 'user' : role === 'a' ? 'assistant' : 'tool',
        content: '',
        createdAt: '',
      }),
    );
  assert.is(findCut(history('uauaua'), 2), 4);
  assert.is(findCut(history('uauaua'), 3), 2);
  assert.is(findCut(history('uattatta'), 2), undefined);
  assert.is(findCut(history('ua'), 0), undefined);
  assert.is(findCut(history('uua'), 1), undefined);
  assert.is(findCut([], 8), undefined);
});

compaction('replaces the oldest turns by a summary that is a normal assistant message', async () => {
  const model = talkative({ content: 'They said reply after reply.' });
  await withSession({ models: [model], settings: settings() }, async (app, session) => {
    let seen = await Promise.resolve([] as Awaited<ReturnType<typeof session.until>>);
    for (let turn = 0; turn < 6 && only(seen, 'context.compacted').length === 0; turn++) {
      await session.send(long(`turn ${turn}`));
      seen = await session.until('run.finished');
    }
    const [compacted] = only(seen, 'context.compacted');
    assert.ok(compacted && compacted.removedMessages >= 2 && compacted.tokensAfter < compacted.tokensBefore);
    const detail = await app.detail(session.id);
    assert.is(detail.messages.length, detail.messageCount);
    assert.equal(
      [detail.messages[0]?.role, detail.messages[0]?.content],
      ['assistant', 'They said reply after reply.'],
    );
    assert.is(detail.messages[1]?.role, 'user');
    const summaries = model.requests.filter(isSummary);
    assert.is(summaries.length, 1);
    assert.match(JSON.stringify(summaries[0]?.messages), /turn 0/);
    assert.equal(summaries[0]?.tools, []);
    assert.is(detail.usage.totalTokens, 15 * model.requests.length);
  });
});

for (const [name, summary] of [
  ['fails', () => Promise.reject(new Error('overloaded'))],
  ['says nothing', { content: '  ' }],
  ['is much longer than what it replaces', { content: 'y'.repeat(90_000) }],
] satisfies [string, Reply][])
  compaction(`keeps the history, and the run goes on, when the summariser ${name}`, async () => {
    const model = talkative(summary);
    await withSession({ models: [model], settings: settings() }, async (app, session) => {
      for (let turn = 0; turn < 5; turn++) {
        await session.send(long(`turn ${turn}`));
        const seen = await session.until('run.finished');
        assert.is(only(seen, 'context.compacted').length, 0);
      }
      assert.is((await app.detail(session.id)).messages.filter((message) => message.role === 'user').length, 5);
      assert.ok(model.requests.some(isSummary));
    });
  });

compaction('replaces turns that are shorter than their summary', async () => {
  const summary = 'A person greeted the agent, and the agent greeted the person in return. Nothing else happened.';
  const model = scriptedModel(
    Array.from({ length: 8 }, (): Reply => (request) => ({ content: isSummary(request) ? summary : 'Hi' })),
  );
  await withSession({ models: [model], settings: settings({ fallbackContextWindow: 10 }) }, async (app, session) => {
    let seen = await Promise.resolve([] as Awaited<ReturnType<typeof session.until>>);
    for (const content of ['Hello', 'Hello again', 'And again']) {
      await session.send(content);
      seen = await session.until('run.finished');
    }
    assert.is(only(seen, 'context.compacted')[0]?.removedMessages, 2);
    const { messages } = await app.detail(session.id);
    assert.equal(
      messages.map(({ content }) => content),
      [summary, 'Hello again', 'Hi', 'And again', 'Hi'],
    );
  });
});

compaction('can be cancelled, and the session is usable afterwards', async () => {
  const model = talkative(
    (_request, io) => new Promise((_, reject) => io.signal.addEventListener('abort', () => reject(io.signal.reason))),
  );
  await withSession({ models: [model], settings: settings() }, async (app, session) => {
    for (let turn = 0; !model.requests.some(isSummary); turn++) {
      await session.send(long(`turn ${turn}`));
      await Promise.race([
        session.until('run.finished').catch(() => undefined),
        waitFor(() => model.requests.some(isSummary)),
      ]);
    }
    assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: true });
    await session.stream.when(
      () =>
        only(
          session.stream.envelopes.map(({ event }) => event),
          'run.finished',
        ).at(-1)?.status === 'cancelled',
    );
    const [first] = (await app.detail(session.id)).messages;
    await app.call('POST', `${session.path}/rewind`, { body: { messageId: first?.id } });
    await session.send('short');
  });
});

compaction('happens on request, for a session that is not busy', async () => {
  const model = talkative({ content: 'short summary' });
  await withSession(
    { models: [model], settings: settings({ fallbackContextWindow: 1_000_000 }) },
    async (app, session) => {
      assert.equal(await app.call('POST', `${session.path}/compact`, {}), { compacted: false });
      for (let turn = 0; turn < 3; turn++) {
        await session.send(long(`turn ${turn}`));
        await session.until('run.finished');
      }
      assert.equal(await app.call('POST', `${session.path}/compact`, {}), { compacted: true });
      assert.ok(types(await session.until('context.compacted')).includes('message.completed'));
      assert.is((await app.detail(session.id)).messages[0]?.content, 'short summary');
    },
  );
});

compaction(
  'on request tells what the list shows then: how many messages there are, what was used, when it changed',
  async () => {
    let summary = 'short summary';
    const model = talkative(() => ({ content: summary }));
    await withSession(
      { models: [model], settings: settings({ fallbackContextWindow: 1_000_000 }) },
      async (app, session) => {
        for (summary of ['short summary', '']) {
          for (let turn = 0; turn < 3; turn++) {
            await session.send(`turn ${turn}`);
            await session.until('run.finished');
          }
          const { compacted } = await app.call<{ compacted: boolean }>('POST', `${session.path}/compact`, {});
          assert.is(compacted, summary !== '');
          const [updated] = only(await session.until('session.updated'), 'session.updated');
          const { sessions } = await app.call<{ sessions: object[] }>('GET', '/api/sessions', {});
          assert.equal(updated?.session, sessions[0]);
        }
      },
    );
  },
);

async function waitFor(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

compaction.run();
