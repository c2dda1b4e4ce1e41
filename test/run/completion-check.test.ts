import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Model } from '../../lib/models/model.ts';
import { only, withSession } from '../helpers/with-app.ts';

const protocol = suite('What a plugin answers for a model is a completion, or run.failed says what is wrong with it');

/** A model as plain JavaScript has it: it resolves with whatever it likes. */
function careless(reply: unknown): Model {
  const info = { id: 'careless', provider: 'test', supportsTools: true };
  return { info, complete: async () => structuredClone(reply) as never };
}

const whole = { content: 'hi', toolCalls: [], finishReason: 'stop' };
const call = { id: 'c1', name: 'echo', arguments: {} };

for (const [what, reply, problem] of [
  ['text', 'hi', 'it must be an object'],
  ['nothing', null, 'it must be an object'],
  ['no content', { ...whole, content: undefined }, '"content" must be of type string'],
  ['content in parts', { ...whole, content: [{ type: 'text', text: 'hi' }] }, '"content" must be of type string'],
  ['reasoning in parts', { ...whole, reasoning: ['hm'] }, '"reasoning" must be of type string'],
  ['calls that are no list', { ...whole, toolCalls: {} }, '"toolCalls" must be of type array'],
  ['a call without id', { ...whole, toolCalls: [{ ...call, id: 7 }] }, '"toolCalls.0.id" must be of type string'],
  [
    'arguments as text',
    { ...whole, toolCalls: [call, { ...call, arguments: '{}' }] },
    '"toolCalls.1.arguments" must be of type record',
  ],
  [
    'half a usage',
    { ...whole, usage: { inputTokens: 1, outputTokens: 1 } },
    '"usage.totalTokens" must be of type number',
  ],
  [
    'a negative usage',
    { ...whole, usage: { inputTokens: -1, outputTokens: 1, totalTokens: 0 } },
    '"usage.inputTokens" must be at least 0',
  ],
  [
    'an endless usage',
    { ...whole, usage: { inputTokens: 1, outputTokens: 1, totalTokens: Number.POSITIVE_INFINITY } },
    '"usage.totalTokens" must be at most 9007199254740991',
  ],
  [
    'a usage in words',
    { ...whole, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2, cachedInputTokens: 'many' } },
    '"usage.cachedInputTokens" must be of type number',
  ],
  ['a reason of its own', { ...whole, finishReason: 'end_turn' }, '"finishReason" must be one of stop, length'],
] as const)
  protocol(`${what}: nothing of it is stored`, async () => {
    await withSession({ models: [careless(reply)] }, async (app, session) => {
      await session.send('go');
      const [failed] = only(await session.until('run.failed'), 'run.failed');
      const start = `The model "careless" answered with what is no completion: ${problem}`;
      assert.is(failed?.error.slice(0, start.length), start);
      const { status, messages } = await app.detail(session.id);
      assert.equal([status, messages.map(({ role }) => role)], ['error', ['user']]);
    });
  });

for (const [what, calls] of [
  ['left out', {}],
  ['null', { toolCalls: null }],
] as const)
  protocol(`calls may be ${what} when there are none`, async () => {
    await withSession(
      { models: [careless({ content: 'hi', finishReason: 'stop', ...calls })] },
      async (app, session) => {
        await session.send('go');
        await session.until('run.finished');
        assert.is((await app.detail(session.id)).messages[1]?.content, 'hi');
      },
    );
  });

for (const [what, reply, problem] of [
  ['half a usage', { ...whole, usage: { inputTokens: 1 } }, '"usage.outputTokens" must be of type number'],
  ['a summary in parts', { ...whole, content: ['hi'] }, '"content" must be of type string'],
] as const)
  protocol(`${what} from a compaction: the history and its usage stay`, async () => {
    const answers: unknown[] = [whole, whole, reply];
    const model: Model = { ...careless(whole), complete: async () => answers.shift() as never };
    const settings = { agent: { compaction: { keepRecent: 1 } }, plugins: { directories: [] } };
    await withSession({ models: [model], settings }, async (app, session) => {
      for (const question of ['first', 'second']) {
        await session.send(question);
        await session.until('run.finished');
      }
      const { messages, usage } = await app.detail(session.id);
      assert.equal(await app.call('POST', `${session.path}/compact`, {}), { compacted: false });
      const [notice] = only(await session.until('notice'), 'notice');
      assert.match(notice?.message ?? '', `answered with what is no completion: ${problem}`);
      const now = await app.detail(session.id);
      assert.equal([now.messages, now.usage], [messages, usage]);
    });
  });

protocol.run();
