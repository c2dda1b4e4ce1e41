import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Completion } from '../../lib/models/model.ts';
import { read } from './chat-reading.ts';

const test = suite('The chat completions reader puts tool calls together for');

test('servers that send tool calls whole and without an index', () => {
  const { completion } = read([
    {
      tool_calls: [
        { id: 'a1', function: { name: 'one', arguments: '{"x":1}' } },
        { id: 'b2', function: { name: 'two', arguments: '{}' } },
      ],
    },
  ]);
  assert.equal(calls(completion), [
    ['a1', 'one', { x: 1 }],
    ['b2', 'two', {}],
  ]);
});

test('servers that give every parallel call the same index', () => {
  const { completion } = read([
    { tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{"x":1}' } }] },
    { tool_calls: [{ index: 0, id: 'b', function: { name: 'two', arguments: '{"y"' } }] },
    { tool_calls: [{ index: 0, function: { arguments: ':2}' } }] },
  ]);
  assert.equal(calls(completion), [
    ['a', 'one', { x: 1 }],
    ['b', 'two', { y: 2 }],
  ]);
});

test('servers that give every parallel call the same index and no id', () => {
  const { completion } = read([
    { tool_calls: [{ index: 0, id: '', function: { name: 'one', arguments: '{"x":1}' } }] },
    { tool_calls: [{ index: 0, id: '', function: { name: 'one', arguments: '{"x":2}' } }] },
  ]);
  assert.equal(
    completion.toolCalls.map((call) => call.arguments),
    [{ x: 1 }, { x: 2 }],
  );
  assert.is(new Set(completion.toolCalls.map(({ id }) => id)).size, 2);
  assert.ok(completion.toolCalls.every(({ id }) => /^call_\w{12}$/.test(id)));
});

test('servers that repeat id and name with every fragment', () => {
  const fragment = (text: string) => ({
    tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: text } }],
  });
  const { completion } = read([fragment('{"x":'), fragment('"y"'), fragment('}')]);
  assert.equal(calls(completion), [['a', 'one', { x: 'y' }]]);
});

test('servers that interleave the fragments of parallel calls, and start with the second', () => {
  const { completion } = read([
    { tool_calls: [{ index: 1, id: 'b', function: { name: 'two', arguments: '{"b"' } }] },
    {
      tool_calls: [
        { index: 0, id: 'a', function: { name: 'one', arguments: '{"a"' } },
        { index: 1, function: { arguments: ':2}' } },
      ],
    },
    { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
  ]);
  assert.equal(calls(completion), [
    ['b', 'two', { b: 2 }],
    ['a', 'one', { a: 1 }],
  ]);
});

test('servers that send arguments as an object, or null for none', () => {
  const { completion } = read([
    { tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: { x: 1 } } }] },
    { tool_calls: [{ index: 1, id: 'b', function: { name: 'two', arguments: 'null' } }, null, 7] },
  ]);
  assert.equal(calls(completion), [
    ['a', 'one', { x: 1 }],
    ['b', 'two', {}],
  ]);
});

test('servers that still send function_call', () => {
  const { completion } = read(
    [{ function_call: { name: 'one', arguments: '{"x"' } }, { function_call: { arguments: ':1}' } }],
    {
      finish: 'function_call',
    },
  );
  assert.equal(
    completion.toolCalls.map(({ name, arguments: given }) => [name, given]),
    [['one', { x: 1 }]],
  );
  assert.is(completion.finishReason, 'tool_calls');
});

test('servers that say stop although they call tools, or nothing at all', () => {
  const call = { tool_calls: [{ index: 0, id: 'a', function: { name: 'one', arguments: '{}' } }] };
  assert.is(read([call], { finish: 'stop' }).completion.finishReason, 'tool_calls');
  assert.is(read([call], { finish: null }).completion.finishReason, 'tool_calls');
  assert.is(read([{ content: 'x' }], { finish: null }).completion.finishReason, 'stop');
});

test('nobody who sends calls without end', () => {
  const fragments = Array.from({ length: 1_001 }, (_, index) => ({
    index,
    id: `c${index}`,
    function: { name: 'one' },
  }));
  assert.throws(() => read([{ tool_calls: fragments }]), /more than 1000 tool calls/);
});

test.run();

function calls({ toolCalls }: Completion) {
  return toolCalls.map(({ id, name, arguments: given }) => [id, name, given]);
}
