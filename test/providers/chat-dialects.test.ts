import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { read, readLines, readText } from './chat-reading.ts';

const test = suite('The chat completions reader understands the dialect of');

test('servers that call reasoning reasoning_content, reasoning or reasoning_details, and count it once', () => {
  const { completion, deltas } = read([
    { reasoning_content: 'a', reasoning: 'a' },
    { reasoning: 'b', reasoning_details: [{ type: 'reasoning.text', text: 'b' }] },
    {
      reasoning_details: [
        { type: 'reasoning.text', text: 'c' },
        { type: 'reasoning.summary', summary: 'd' },
        { type: 'reasoning.encrypted', data: 'zz' },
      ],
    },
    { reasoning: null, reasoning_content: '', content: 'text' },
  ]);
  assert.is(completion.reasoning, 'abcd');
  assert.is(completion.content, 'text');
  assert.equal(
    deltas.map(([channel]) => channel),
    ['reasoning', 'reasoning', 'reasoning', 'text'],
  );
});

test('servers whose content is an array of parts', () => {
  const { completion } = read([
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }] },
    { content: [{ type: 'text', text: 'Hello' }, { type: 'reference', reference_ids: [1] }, 'junk', null] },
  ]);
  assert.is(completion.reasoning, 'hm');
  assert.is(completion.content, 'Hello');
});

test('servers that refuse in a field of its own', () => {
  const { completion } = read([{ refusal: 'I can not ' }, { refusal: 'do that.' }]);
  assert.is(completion.content, 'I can not do that.');
  assert.is(completion.finishReason, 'content_filter');
});

test('servers that never send the end mark, or end without usage', () => {
  const lines = ['{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}'];
  const { completion } = readLines(lines);
  assert.is(completion.content, 'x');
  assert.is(completion.usage, undefined);
});

test('servers that say nothing but token counts at the end, but not those that break off after counting along', () => {
  const text = { choices: [{ delta: { content: 'x' } }], usage: { prompt_tokens: 1, completion_tokens: 1 } };
  const counts = { choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };
  assert.is(readLines([text, counts].map((chunk) => JSON.stringify(chunk))).completion.usage?.outputTokens, 2);
  assert.throws(() => readLines([JSON.stringify(text)]), /before the answer was complete/);
});

test('servers that send an empty error with every chunk, and pad the end mark', () => {
  const chunk = { error: {}, choices: [{ delta: { content: 'x' }, error: null }] };
  assert.is(readLines([JSON.stringify(chunk), '[DONE] ']).completion.content, 'x');
});

test('servers that count tokens in other places', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 4 };
  const expected = { inputTokens: 10, outputTokens: 4, totalTokens: 14 };
  const chunk = (fields: object) =>
    readLines([JSON.stringify({ choices: [{ delta: {} }], ...fields }), '[DONE]']).completion.usage;
  assert.equal(chunk({ usage }), expected);
  assert.equal(chunk({ x_groq: { usage } }), expected);
  assert.equal(chunk({ choices: [{ delta: {}, usage }] }), expected);
  assert.equal(chunk({ usage: { ...usage, prompt_cache_hit_tokens: 3 } }), { ...expected, cachedInputTokens: 3 });
  for (const none of [{}, null, { prompt_tokens: 'many', completion_tokens: -1, total_tokens: null }])
    assert.is(chunk({ usage: none }), undefined);
});

test('servers that report an error inside a choice, as text, or as an event of that name', () => {
  for (const text of [
    'data: {"choices":[{"error":{"message":"inner","code":502}}]}\n\n',
    'data: {"error":"inner"}\n\n',
    'event: error\ndata: {"message":"inner"}\n\n',
    'data: {"object":"error","message":"inner","code":40001}\n\n',
  ])
    assert.throws(
      () => readText(text),
      (error: Error) => error.name === 'ProviderError' && error.message.includes('inner'),
    );
});

test('servers that put <think> in the text, when asked to, wherever the stream is cut', () => {
  const answer = '\n<think>\nwhy < not </thin k>?</think>\n\nBecause <think> stays.';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: answer.length }), { maxLength: 12 }), (cuts) => {
      const { completion } = read(
        cut(answer, cuts).map((content) => ({ content })),
        { thinkTags: true },
      );
      assert.is(completion.reasoning, '\nwhy < not </thin k>?');
      assert.is(completion.content, 'Because <think> stays.');
    }),
  );
  assert.is(read([{ content: answer }]).completion.content, answer);
  assert.is(read([{ content: '<thi' }], { thinkTags: true }).completion.content, '<thi');
  assert.is(read([{ content: '<think>endless' }], { thinkTags: true }).completion.reasoning, 'endless');
  assert.is(read([{ content: ' plain' }], { thinkTags: true }).completion.content, ' plain');
});

test('nobody: whatever arrives becomes an answer or a ProviderError', () => {
  const value = fc.jsonValue({ maxDepth: 4 });
  const key = fc.constantFrom(
    'choices',
    'delta',
    'content',
    'tool_calls',
    'function',
    'arguments',
    'index',
    'id',
    'usage',
    'error',
    'message',
  );
  const chunk = fc.oneof(
    value,
    fc.dictionary(key, fc.oneof(value, fc.array(fc.dictionary(key, value)))),
    fc.record({ choices: fc.array(fc.record({ delta: fc.dictionary(key, value), finish_reason: value })) }),
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 5 }), (chunks) => {
      try {
        const { completion } = readLines([...chunks.map((each) => JSON.stringify(each)), '[DONE]']);
        assert.type(completion.content, 'string');
        for (const call of completion.toolCalls) assert.ok(call.id !== '' && typeof call.arguments === 'object');
      } catch (error) {
        assert.is((error as Error).name, 'ProviderError', String(error));
      }
    }),
    { numRuns: 300 },
  );
});

test.run();

function cut(text: string, at: number[]): string[] {
  const cuts = [...new Set([0, ...at, text.length])].sort((a, b) => a - b);
  return cuts.slice(1).map((end, index) => text.slice(cuts[index], end));
}
