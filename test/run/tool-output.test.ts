import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Tool, ToolOutput } from '../../lib/tools/tool.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { only, withSession } from '../helpers/with-app.ts';

const test = suite('What a tool returns');

/** One call of a tool that returns, or throws, whatever the test wants. */
async function resultOf(execute: () => unknown) {
  const tool: Tool = {
    name: 'odd',
    description: 'Odd.',
    parameters: { type: 'object' },
    execute: () => execute() as ToolOutput,
  };
  const model = scriptedModel([{ toolCalls: [callOf('odd')] }]);
  let results = await Promise.resolve([] as { ok: boolean; content: string; data?: unknown }[]);
  await withSession({ models: [model], tools: [tool] }, async (app, session) => {
    await session.send('go');
    results = only(await session.until('run.finished'), 'tool.finished').map(({ result }) => result);
    assert.is((await app.detail(session.id)).messages.at(-1)?.content, 'done');
  });
  assert.is(results.length, 1);
  const answer = model.requests[1]?.messages.at(-1);
  assert.ok(answer?.role === 'tool' && typeof answer.content === 'string');
  return { ok: results[0]?.ok, content: results[0]?.content ?? '', data: results[0]?.data, images: answer.images };
}

const circular: Record<string, unknown> = {};
circular.self = circular;

for (const [what, value] of [
  ['nothing', undefined],
  ['null', null],
  ['a number', 7],
  ['an object without content', {}],
  ['content that is no text', { content: 5 }],
  ['images that are no list', { content: 'x', images: 'no' }],
] as const)
  test(`is refused with a sentence when it is ${what}`, async () => {
    const { ok, content } = await resultOf(() => value);
    assert.is(ok, false);
    assert.match(content, /odd.*must return/);
  });

test('may throw anything', async () => {
  for (const thrown of [undefined, null, 'text', 7, new Error(''), Object.create(null)]) {
    const { ok, content } = await resultOf(() => {
      throw thrown;
    });
    assert.is(ok, false);
    assert.match(content, /\S/);
  }
});

test('loses data that JSON can not carry, or not in a megabyte, and nothing else', async () => {
  for (const data of [circular, { big: 1n }, () => 1, Symbol('s'), 'x'.repeat(1024 * 1024)]) {
    const result = await resultOf(() => ({ content: 'kept', data }));
    assert.equal([result.ok, result.content, result.data], [true, 'kept', undefined]);
  }
  assert.equal((await resultOf(() => ({ content: '', data: { a: [1] } }))).data, { a: [1] });
});

test('loses images that are none, with a marker', async () => {
  const png = Buffer.from('image').toString('base64').padEnd(8, '=');
  const good = { mimeType: 'image/png', data: png };
  for (const bad of [null, 7, {}, { mimeType: 7, data: png }, { mimeType: 'image/png', data: {} }]) {
    const { ok, content, images } = await resultOf(() => ({ content: 'see', images: [bad, good] }));
    assert.is(ok, true);
    assert.match(content, /^see\n\[image dropped: [^\]]+\]$/);
    assert.is(images?.length, 1);
  }
});

test.run();
