import type { Random } from '../../helpers/random.ts';
import type { Reply, Step } from '../../helpers/scripted-model/script.ts';

const statuses = [400, 401, 403, 404, 408, 409, 413, 425, 429, 429, 500, 502, 503, 529] as const;
const hints = [undefined, '0', '0.01', '1000000000', 'Fri, 01 Jan 1999 00:00:00 GMT', 'soon', '-5', ''] as const;
const malformed = [
  'data: {{{\n\n',
  'data: nope\n\ndata: [1,2\n\n',
  'event: \u0000\ndata\n\n',
  ': only a comment\n\n',
  'data: {"choices":[]}\n\n',
  'data: {"type":"content_block_delta","index":7,"delta":{"type":"text_delta","text":"x"}}\n\n',
  'data: null\n\n',
  'data: {"error":{"message":"overloaded","type":"overloaded_error"}}\n\n',
] as const;
const argumentTexts = ['{"path": "x", "content": ', 'null', '[]', '"text"', '{"path": 7}', '{}{}', ''] as const;

/** What a provider of that moment answers: about half of it is wrong in one way or another. */
export function chaosReply(random: Random): Reply {
  const kinds = [
    fine,
    fine,
    fine,
    calls,
    calls,
    status,
    status,
    reset,
    cutOff,
    streamError,
    garbage,
    drip,
    endless,
    odd,
    odd,
  ] as const;
  return random.pick(kinds)(random);
}

const fine = (random: Random): Reply => [
  ...(random.once(3) ? [{ reasoning: ['so ', 'so'] }] : []),
  { text: ['one ', 'two ', 'thr\u00e9\u{1F600}'] },
  ...(random.once(4) ? [{ usage: 'none' as const }] : []),
  ...(random.once(5) ? [{ finish: random.pick(['length', 'content_filter', 'stop']) }] : []),
];

function calls(random: Random): Reply {
  const id = random.once(2) ? { id: random.pick(['same', 'other']) } : {};
  const one = (): Step => {
    const name = random.pick(['list_files', 'read_file', 'write_file', 'shell', 'no_such_tool']);
    const args = random.once(3) ? random.pick(argumentTexts) : argumentsOf(name);
    return { toolCall: { ...id, name, arguments: args, ...(random.once(2) ? { fragments: 3 } : {}) } };
  };
  return [...(random.once(2) ? [{ text: 'let me look' }] : []), ...Array.from({ length: 1 + random.below(3) }, one)];
}

function argumentsOf(name: string): Record<string, unknown> {
  if (name === 'shell') return { command: 'echo hello' };
  if (name === 'write_file') return { path: 'note.txt', content: 'hello' };
  return name === 'read_file' ? { path: 'note.txt' } : {};
}

function status(random: Random): Reply {
  const retryAfter = random.pick(hints);
  return [{ status: random.pick(statuses), ...(retryAfter === undefined ? {} : { retryAfter }) }];
}

const reset = (random: Random): Reply =>
  random
    .pick<Reply>([
      [{ reset: true }],
      [{ headers: {} }, { reset: true }],
      [{ text: 'so far' }, { reset: true }],
      [{ toolCall: { name: 'list_files', arguments: {} } }, { reset: true }],
    ])
    .slice();

const cutOff = (random: Random): Reply =>
  random
    .pick<Reply>([
      [{ headers: {} }, { end: true }],
      [{ text: 'so far' }, { end: true }],
      [{ html: '<html>gateway</html>' }],
      [{ raw: '{"ok":true}' }],
    ])
    .slice();

const streamError = (random: Random): Reply => [
  ...(random.once(2) ? [{ text: 'so far' }] : []),
  { error: { message: 'overloaded', type: 'overloaded_error' } },
];

const garbage = (random: Random): Reply => [
  ...(random.once(2) ? [{ text: 'so far' }] : []),
  { raw: random.pick(malformed) },
];

/** Within the time limits, or beyond them. */
const drip = (random: Random): Reply =>
  Array.from({ length: random.pick([5, 40]) }, (_, at): Step[] => [{ text: `${at} ` }, { delayMs: 40 }]).flat();

const endless = (random: Random): Reply => [
  ...(random.once(2) ? [{ text: 'so far' }] : [{ headers: {} }]),
  { hang: true },
];

function odd(random: Random): Reply {
  if (random.once(12)) {
    // Over what a provider plugin takes in one answer.
    const content = 'x'.repeat(17 * 1024 * 1024);
    return [{ toolCall: { name: 'write_file', arguments: { path: 'big.txt', content } } }];
  }
  return random
    .pick<Reply>([
      [{ text: '' }],
      [{ text: ' '.repeat(50_000) }],
      [{ toolCall: { name: 'write_file', arguments: { path: 'a/../../b', content: '\u0000' } } }],
      [{ toolCall: { name: '', arguments: {} } }],
      [{ finish: 'tool_calls' }, { text: 'no call' }],
      [{ toolCall: { name: 'list_files', arguments: {} } }, { finish: 'stop' }],
    ])
    .slice();
}
