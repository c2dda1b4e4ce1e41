import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running, sleep } from '../core-tools/running-processes.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { only, type TestSession, types, withSession } from '../helpers/with-app.ts';
import { eventually, within } from '../helpers/within.ts';
import { models, providerSettings } from './two-providers.ts';

const test = suite('Cancel ends a run within a second');
const hang: Reply = [{ headers: {} }, { hang: true }];
const shell = (command: string, times = 1): Reply =>
  Array.from({ length: times }, () => ({ toolCall: { name: 'shell', arguments: { command } } }));

type Begun = (session: TestSession, model: ScriptedModel) => Promise<unknown>;

const phases: [string, { replies: Reply[]; permission?: 'auto'; begun: Begun; settings?: object; filler?: boolean }][] =
  [
    ['while the model has not answered', { replies: [[{ hang: true }]], begun: (_, model) => model.request(0) }],
    ['while the model is silent', { replies: [hang], begun: (_, model) => model.request(0) }],
    [
      'while the model reasons',
      { replies: [[{ reasoning: 'hm' }, { hang: true }]], begun: (session) => session.until('message.delta') },
    ],
    [
      'while the model speaks',
      { replies: [[{ text: 'so' }, { hang: true }]], begun: (session) => session.until('message.delta') },
    ],
    [
      'while a retry waits',
      { replies: [[{ status: 429, retryAfter: '500' }]], begun: (session) => session.until('notice') },
    ],
    [
      'while a person is asked',
      { replies: [shell('true', 2)], begun: (session) => session.until('approval.requested') },
    ],
    [
      'while a command runs',
      {
        replies: [shell(sleep(390), 2)],
        permission: 'auto',
        begun: () => eventually(5_000, () => running(sleep(390)) > 0),
      },
    ],
    [
      'while it compacts',
      { replies: [[{ text: 'x'.repeat(9_000) }], hang], begun: (_, model) => model.request(1), filler: true },
    ],
  ];

for (const model of models)
  for (const [phase, { replies, permission = 'ask', begun, filler }] of phases)
    test(`${model}: ${phase}`, async () => {
      const server = await startScriptedModel({ replies });
      const settings = providerSettings(server.url, {
        agent: { compaction: { keepRecent: 1 }, retry: { maxDelayMs: 600_000 } },
        provider: { contextWindow: filler ? 2_000 : 1_000_000 },
        plugins: { 'core-tools': { shellPermission: permission } },
      });
      try {
        await withSession(
          { bundled: true, settings: { ...settings, model: { default: model } } },
          async (app, session) => {
            await session.send('go');
            if (filler) {
              await session.until('run.finished');
              await session.send('more');
            }
            await within(8_000, begun(session, server), phase);
            await app.call('POST', `${session.path}/cancel`, {});
            const end = only(await within(1_000, session.until('run.finished'), 'the end'), 'run.finished');
            assert.is(end.at(-1)?.status, 'cancelled');
            const { status, messages } = await app.detail(session.id);
            assert.is(status, 'cancelled');
            const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id));
            assert.equal(
              calls.sort(),
              messages.flatMap(({ toolCallId }) => toolCallId ?? []).sort(),
              'every call has a result',
            );
            const told = session.stream.envelopes.length;
            await eventually(5_000, () =>
              server.requests.every(
                ({ aborted }, at) => aborted || at < server.requests.length - 1 || /person|command|retry/.test(phase),
              ),
            );
            assert.is(running(sleep(390)), 0);
            assert.equal(
              types(session.stream.envelopes.slice(told).map(({ event }) => event)),
              [],
              'nothing happens after the end',
            );
            await app.call('PATCH', session.path, { body: { title: 'free' } });
          },
        );
        assert.equal(
          server.requests.flatMap(({ problem }) => problem ?? []),
          [],
        );
      } finally {
        await server.close();
      }
    });

test.run();
