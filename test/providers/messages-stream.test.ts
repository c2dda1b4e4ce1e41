import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Completion } from '../../lib/models/model.ts';
import { createBodyDecoder } from '../../lib/models/provider-http-body.ts';
import type { DeltaChannel } from '../../lib/wire/event.ts';
import { createStreamReader } from '../../plugins/messages-api/read-stream.ts';
import { requestOf } from './provider-kit.ts';

type Event = { type: string; [field: string]: unknown };

const test = suite('The messages API reader');
const stop = (reason: string): Event[] => [
  { type: 'message_delta', delta: { stop_reason: reason } },
  { type: 'message_stop' },
];
const block = (index: number, content_block: object, ...deltas: object[]): Event[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];

test('keeps signed and redacted thinking for the way back, in order, under the name of its model', () => {
  const { completion } = read([
    ...block(
      0,
      { type: 'thinking', thinking: '', signature: '' },
      { type: 'thinking_delta', thinking: 'step ' },
      { type: 'thinking_delta', thinking: 'one' },
      { type: 'signature_delta', signature: 'sig1' },
    ),
    ...block(1, { type: 'redacted_thinking', data: 'opaque' }),
    ...block(2, { type: 'thinking', thinking: '' }, { type: 'thinking_delta', thinking: ' unsigned' }),
    ...block(3, { type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' }),
    ...stop('end_turn'),
  ]);
  assert.is(completion.reasoning, 'step one unsigned');
  assert.is(completion.content, 'Done.');
  assert.equal(completion.meta, {
    thinking: {
      model: 'm',
      blocks: [
        { type: 'thinking', thinking: 'step one', signature: 'sig1' },
        { type: 'redacted_thinking', data: 'opaque' },
      ],
    },
  });
});

test('leaves blocks of server tools, citations, pings and what it does not know alone', () => {
  const { completion, deltas } = read([
    { type: 'ping' },
    ...block(
      0,
      { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
      { type: 'input_json_delta', partial_json: '{"q":"x"}' },
    ),
    ...block(1, {
      type: 'web_search_tool_result',
      tool_use_id: 'srv',
      content: [{ type: 'web_search_result', url: 'u' }],
    }),
    ...block(
      2,
      { type: 'text', text: '', citations: [] },
      { type: 'citations_delta', citation: { cited_text: 'no' } },
      { type: 'text_delta', text: 'Sunny' },
    ),
    ...block(3, { type: 'hologram', text: 'no' }, { type: 'hologram_delta', text: 'no' }),
    { type: 'something_new', text: 'no' },
    ...stop('end_turn'),
  ]);
  assert.equal(deltas, [['text', 'Sunny']]);
  assert.equal(completion.toolCalls, []);
  assert.is(completion.finishReason, 'stop');
});

test('goes on through a second message_start, whose blocks count from 0 again', () => {
  const start = (tokens: number): Event => ({
    type: 'message_start',
    message: { usage: { input_tokens: tokens, output_tokens: 1 } },
  });
  const { completion } = read([
    start(5),
    ...block(
      0,
      { type: 'tool_use', id: 'a', name: 'one', input: {} },
      { type: 'input_json_delta', partial_json: '{"x":1}' },
    ),
    start(7),
    ...block(
      0,
      { type: 'tool_use', id: 'b', name: 'two', input: {} },
      { type: 'input_json_delta', partial_json: '{"y":2}' },
    ),
    ...stop('tool_use'),
  ]);
  assert.equal(
    completion.toolCalls.map(({ id, arguments: given }) => [id, given]),
    [
      ['a', { x: 1 }],
      ['b', { y: 2 }],
    ],
  );
  assert.is(completion.usage?.inputTokens, 7);
});

test('takes input, text and thinking that come with the start of a block', () => {
  const { completion } = read([
    ...block(0, { type: 'thinking', thinking: 'T', signature: 's' }),
    ...block(1, { type: 'text', text: 'Hi ' }, { type: 'text_delta', text: 'there' }),
    ...block(2, { type: 'tool_use', id: 'a', name: 'one', input: { x: 1 } }),
    ...stop('tool_use'),
  ]);
  assert.is(completion.content, 'Hi there');
  assert.is(completion.reasoning, 'T');
  assert.equal(completion.toolCalls, [{ id: 'a', name: 'one', arguments: { x: 1 } }]);
});

test('counts cached tokens as input, and says how many were read from the cache', () => {
  const { completion } = read([
    {
      type: 'message_start',
      message: {
        usage: { input_tokens: 3, cache_creation_input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 },
      },
    },
    ...block(0, { type: 'text', text: 'x' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  ]);
  assert.equal(completion.usage, { inputTokens: 113, outputTokens: 9, totalTokens: 122, cachedInputTokens: 100 });
});

for (const [reason, expected] of [
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content_filter'],
  ['brand_new', 'stop'],
] as const)
  test(`maps the stop reason ${reason} to ${expected}`, () => {
    assert.is(read([...block(0, { type: 'text', text: 'x' }), ...stop(reason)]).completion.finishReason, expected);
  });

test('accepts an end without message_stop once the stop reason is known', () => {
  const { completion } = read([
    ...block(0, { type: 'text', text: 'x' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  ]);
  assert.is(completion.content, 'x');
});

test('tells errors that may pass from those that will not', () => {
  for (const [type, retryable] of [
    ['overloaded_error', true],
    ['rate_limit_error', true],
    ['api_error', true],
    ['invalid_request_error', false],
    ['unheard_of', false],
  ] as const)
    assert.throws(
      () => read([{ type: 'error', error: { type, message: 'why' } }]),
      (error: Error & { retryable?: boolean }) => error.message === 'tested: why' && error.retryable === retryable,
    );
});

test('makes an answer or a ProviderError of whatever arrives', () => {
  const value = fc.jsonValue({ maxDepth: 3 });
  const key = fc.constantFrom(
    'type',
    'index',
    'delta',
    'content_block',
    'text',
    'thinking',
    'partial_json',
    'message',
    'usage',
    'error',
  );
  const kind = fc.constantFrom(
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'ping',
  );
  const part = fc.oneof(
    value,
    fc.record({
      type: fc.constantFrom('text', 'tool_use', 'thinking', 'text_delta', 'input_json_delta', 'redacted_thinking'),
      id: value,
      name: value,
      text: value,
      input: value,
      partial_json: value,
      data: value,
    }),
  );
  const event = fc.oneof(
    value,
    fc.dictionary(key, value),
    fc.record({ type: kind, index: value, delta: part, content_block: part, usage: value, message: value }),
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), (events) => {
      try {
        const { completion } = read([...(events as Event[]), ...stop('end_turn')]);
        for (const call of completion.toolCalls) assert.ok(call.id !== '' && typeof call.name === 'string');
      } catch (error) {
        assert.is((error as Error).name, 'ProviderError', String(error));
      }
    }),
    { numRuns: 300 },
  );
});

test.run();

function read(events: Event[]): { completion: Completion; deltas: [DeltaChannel, string][] } {
  const deltas: [DeltaChannel, string][] = [];
  const io = { onDelta: (channel: DeltaChannel, delta: string) => void deltas.push([channel, delta]) };
  const reader = createStreamReader('tested', requestOf({}), { io, model: 'm' });
  const decoder = createBodyDecoder('tested', reader, { responseBytes: 1e9, lineChars: 1e9 });
  const text = events.map((event) => `event: some\ndata: ${JSON.stringify(event)}\n\n`).join('');
  if (!decoder.write(Buffer.from(text))) decoder.end();
  return { completion: reader.finish(), deltas };
}
