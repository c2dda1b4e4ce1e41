import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createStreamReader } from '../../plugins/messages-api/read-stream.ts';
import { read, readLines } from './chat-reading.ts';
import { requestOf } from './provider-kit.ts';

const test = suite('An answer may hold what no provider sends');
const bigText = 'x'.repeat(1024 * 1024);

for (const word of ['constructor', 'toString', '__proto__', 'valueOf'])
  test(`a reason to stop that every object has a property for (${word}) is an unknown one`, () => {
    assert.is(read([{ content: 'Hi' }], { finish: word }).completion.finishReason, 'stop');
    const events = [{ type: 'message_delta', delta: { stop_reason: word } }, { type: 'message_stop' }];
    assert.is(readMessages(events).finishReason, 'stop');
    try {
      readMessages([{ type: 'error', error: { type: word, message: 'No.' } }]);
      assert.unreachable();
    } catch (error) {
      assert.equal(
        [Object(error).message, Object(error).status, Object(error).retryable],
        ['tested: No.', undefined, false],
      );
    }
  });

test('everything that is kept of an answer counts against its limit, not only its text', () => {
  const call = (index: number) => ({
    tool_calls: [{ index, id: `c${index}`, function: { name: 'f' }, extra_content: { signature: bigText } }],
  });
  assert.throws(
    () => read(Array.from({ length: 17 }, (_, index) => call(index))),
    /sent more than 16777216 characters/,
  );
  const thoughts = Array.from({ length: 17 }, (_, index) => [
    { type: 'content_block_start', index, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index, delta: { type: 'signature_delta', signature: bigText } },
  ]);
  assert.throws(() => readMessages(thoughts.flat()), /sent more than 16777216 characters/);
  const empty = Array.from({ length: 10_001 }, (_, index) => ({
    type: 'content_block_start',
    index,
    content_block: { type: 'thinking' },
  }));
  assert.throws(() => readMessages(empty), /sent more than 10000 blocks/);
});

test('reasoning that is to go back is bounded whatever its parts are', () => {
  const nested = { type: 'reasoning.encrypted', index: 0, data: 'signed', extra: { blob: bigText } };
  assert.is(read([{ reasoning_details: [nested], content: 'Hi' }]).completion.meta, undefined);
});

test('long reasoning in many small pieces is kept', () => {
  const piece = { type: 'reasoning.text', format: 'some-format-v1', index: 0, text: 'abcd' };
  const pieces = Array.from({ length: 60_000 }, () => ({ reasoning_details: [piece] }));
  const { completion } = read([...pieces, { reasoning_details: [{ ...piece, text: '', signature: 'signed' }] }]);
  assert.is(JSON.stringify(completion.meta).match(/abcd/g)?.length, 60_000);
});

test('token counts that no sum survives are none', () => {
  const usage = { prompt_tokens: 1e308, completion_tokens: 3, total_tokens: Number.MAX_VALUE };
  const { completion } = readLines([JSON.stringify({ choices: [{ delta: {}, finish_reason: 'stop' }], usage })]);
  assert.equal(completion.usage, { inputTokens: 0, outputTokens: 3, totalTokens: 3 });
});

test('blanks that no <think> follows are text, and are not held back for ever', () => {
  const { completion, deltas } = read(
    Array.from({ length: 3_000 }, () => ({ content: ' ' })),
    { thinkTags: true },
  );
  assert.is(completion.content, ' '.repeat(3_000));
  assert.ok(deltas.length > 1_000);
});

function readMessages(events: Record<string, unknown>[]) {
  const reader = createStreamReader('tested', requestOf({}), { io: { onDelta: () => undefined }, model: 'm' });
  for (const event of events) reader.onEvent(JSON.stringify(event));
  return reader.finish();
}

test.run();
