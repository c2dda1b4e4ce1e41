import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Completion, type ModelMessage, optional, string, type ToolSchema } from '../../lib/plugin-api/index.ts';
import { objectSchema } from '../../lib/tools/json-schema.ts';
import { demoModel } from '../../plugins/demo-model/model.ts';
import { planOf } from '../../plugins/demo-model/plan.ts';
import { within } from '../helpers/within.ts';
import { pluginFolders } from './plugin-folders.ts';

const tool = (name: string, ...fields: string[]): ToolSchema => ({
  name,
  description: name,
  parameters: objectSchema(Object.fromEntries(fields.map((field) => [field, optional(string())]))),
});
const searchParameters = { type: 'object', properties: { pattern: {}, literal: {}, path: {} } };
const tools = [
  tool('list_files', 'path'),
  tool('read_file', 'path'),
  tool('write_file', 'path', 'content'),
  { ...tool('search_files', 'pattern', 'path'), parameters: searchParameters },
  tool('shell', 'command'),
];

interface Answer extends Completion {
  deltas: [channel: string, text: string][];
}

async function ask(
  messages: ModelMessage[],
  options: { tools?: ToolSchema[]; delayMs?: number; signal?: AbortSignal } = {},
): Promise<Answer> {
  const deltas: [string, string][] = [];
  const request = { sessionId: 'ses_1', system: 'You are helpful.', messages, tools: options.tools ?? tools };
  const io = {
    signal: options.signal ?? new AbortController().signal,
    onDelta: (channel: string, text: string) => void deltas.push([channel, text]),
  };
  const completion = await within(5_000, demoModel({ delayMs: options.delayMs ?? 0 }).complete(request, io));
  return { ...completion, deltas };
}

const user = (content: string): ModelMessage => ({ role: 'user', content });
const joined = (answer: Answer, channel: string): string =>
  answer.deltas.flatMap(([on, text]) => (on === channel ? [text] : [])).join('');

/** Plays the runtime: answers every tool call with what `execute` says, until there is none left. */
async function converse(
  text: string,
  execute: (name: string) => string,
): Promise<{ calls: [string, unknown][]; last: Answer }> {
  const messages = [user(text)];
  const calls: [string, unknown][] = [];
  for (let step = 0; step < 10; step++) {
    const answer = await ask(messages);
    if (answer.toolCalls.length === 0) return { calls, last: answer };
    messages.push({ role: 'assistant', content: answer.content, toolCalls: answer.toolCalls });
    for (const { id, name, arguments: args } of answer.toolCalls) {
      calls.push([name, args]);
      messages.push({ role: 'tool', callId: id, name, content: execute(name), isError: false });
    }
  }
  throw new Error('the model never stopped calling tools');
}

const understanding = suite('Plain instructions become tool calls');

for (const [text, name, args] of [
  ['list files', 'list_files', {}],
  ['Please list the files in src.', 'list_files', { path: 'src' }],
  ['read README.md', 'read_file', { path: 'README.md' }],
  ['can you show me the file `a/b.txt`?', 'read_file', { path: 'a/b.txt' }],
  ['search for "TODO later"', 'search_files', { pattern: 'TODO later', literal: true }],
  ['grep needle in src', 'search_files', { pattern: 'needle', literal: true, path: 'src' }],
  ['run npm test', 'shell', { command: 'npm test' }],
  [
    'write notes.txt: first line\nread README.md',
    'write_file',
    { path: 'notes.txt', content: 'first line\nread README.md' },
  ],
  ['call shell with {"command":"ls"}', 'shell', { command: 'ls' }],
] as const)
  understanding(`"${text.replace('\n', ' ')}" calls ${name}`, async () => {
    const answer = await ask([user(text)]);
    assert.is(answer.finishReason, 'tool_calls');
    assert.equal(
      answer.toolCalls.map((call) => [call.name, call.arguments]),
      [[name, args]],
    );
  });

understanding('the tools that other plugins bring are understood too', () => {
  const named = (text: string): unknown[] => planOf(text).map((step) => (step.kind === 'call' ? step.tool : step.kind));
  assert.equal(named('fetch https://example.com'), ['web_fetch']);
  assert.equal(named('delegate to reviewer: read a.txt'), ['delegate']);
  assert.equal(named('remember that it rains'), ['memory_save']);
  assert.equal(named('recall rain, then think about rain; then wait 2'), ['memory_search', 'think', 'wait']);
  assert.equal(named('what is the capital of France?'), []);
  assert.equal(planOf('list files in .   then  say x')[0], planOf('list files in .')[0]);
  assert.equal(planOf('list files in src.  and then say x')[0], planOf('list files in src')[0]);
});
understanding('a message that is as long as one may be takes no longer for its blanks and dots', () => {
  for (const filler of [' ', '.', '\n', ' .', ', ', 'then ', ' then'])
    for (const step of planOf(`say a${filler.repeat(199_000 / filler.length)}x`)) assert.is(step.kind, 'say', filler);
});
understanding.run();

const conversation = suite('A conversation with the demo model');

conversation(
  'several instructions are worked off one by one, and the last answer says what the tools said',
  async () => {
    const { calls, last } = await converse('list files, then read a.txt\nrun ls', (name) => `output of ${name}`);
    assert.equal(
      calls.map(([name]) => name),
      ['list_files', 'read_file', 'shell'],
    );
    for (const name of ['list_files', 'read_file', 'shell']) assert.ok(last.content.includes(`${name} answered:`));
    assert.ok(last.content.includes('output of shell'));
    assert.is(last.finishReason, 'stop');
  },
);

conversation('a long result is shown in part', async () => {
  const long = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
  const { last } = await converse('read a.txt', () => long);
  assert.ok(last.content.includes('line 7'));
  assert.not(last.content.includes('line 8'));
  assert.ok(last.content.includes('42 more lines'));
});

conversation('a failed or denied tool is said to have failed', async () => {
  const answer = await ask([
    user('run ls'),
    { role: 'assistant', content: '', toolCalls: [{ id: '1', name: 'shell', arguments: { command: 'ls' } }] },
    { role: 'tool', callId: '1', name: 'shell', content: 'Declined.', isError: true },
  ]);
  assert.ok(answer.content.includes('shell did not work'));
  assert.ok(answer.content.includes('Declined.'));
});

conversation('a tool that is not there is named, and the rest goes on', async () => {
  const answer = await ask([user('fetch https://example.com, then say goodbye')]);
  assert.match(answer.content, /tool web_fetch, which is not available/);
  assert.match(answer.content, /goodbye/);
  assert.equal(answer.toolCalls, []);
});

conversation('everything else is answered with what it is and what it can do', async () => {
  const answer = await ask([user('What is love?')]);
  assert.match(answer.content, /not an AI/);
  assert.match(answer.content, /list files/);
});

conversation('the same conversation gets the same answer', async () => {
  assert.equal(await ask([user('list files, then say x')]), await ask([user('list files, then say x')]));
});

conversation('it can be told to fail', async () => {
  let failure: unknown;
  await ask([user('fail with out of luck')]).catch((error: unknown) => {
    failure = error;
  });
  assert.is((failure as Error).name, 'ProviderError');
  assert.is((failure as Error).message, 'out of luck');
});

conversation('a request for a summary is answered with what the person wrote', async () => {
  const answer = await ask(
    [user('Summarise this part.\n\n## Person\nlist files\n\n## Agent\nx\n\n## Person\nread a')],
    { tools: [] },
  );
  assert.match(answer.content, /- list files\n- read a/);
});
conversation.run();

const streaming = suite('It streams word by word, with reasoning and usage');

streaming('the deltas add up to the completion, on both channels', async () => {
  const answer = await ask([user('think about rain, then say one two  three')]);
  assert.ok(answer.deltas.length > 10);
  assert.is(joined(answer, 'text'), answer.content);
  assert.is(joined(answer, 'reasoning'), answer.reasoning);
  assert.match(answer.reasoning ?? '', /rain/);
  assert.match(answer.content, /one two {2}three/);
});

streaming('usage is a quarter of the characters', async () => {
  const answer = await ask([user('say hello')], { tools: [] });
  assert.equal(answer.usage, { inputTokens: 7, outputTokens: 2, totalTokens: 9, reasoningTokens: 0 });
});

streaming('an abort ends it in the middle with the reason of the signal', async () => {
  const controller = new AbortController();
  const reason = new Error('enough');
  setTimeout(() => controller.abort(reason), 30);
  let failure: unknown;
  await ask([user('wait 60')], { delayMs: 5, signal: controller.signal }).catch((error: unknown) => {
    failure = error;
  });
  assert.is(failure, reason);
});
streaming.run();

const presence = suite('`demo` is registered only when no other plugin registered a model');

for (const [enabled, other, expected] of [
  ['auto', false, ['demo']],
  ['auto', true, ['other']],
  [true, true, ['other', 'demo']],
  [false, false, []],
] as const)
  presence(`enabled: ${enabled}, ${other ? 'with' : 'without'} another model`, async () => {
    const folders = pluginFolders();
    try {
      if (other)
        folders.plugin(
          'other',
          `export default { apply({ use }) { use('models').register({ info: { id: 'other' }, complete() {} }); } };`,
        );
      const { host, models, info } = folders.host({
        bundledDirectory: 'dist/plugins',
        plugins: { allow: ['demo-model', 'other'], config: { 'demo-model': { enabled } } },
      });
      await within(5_000, host.load());
      assert.is(info('demo-model')?.state, 'active');
      assert.equal(
        models.list().map(({ id }) => id),
        [...expected],
      );
    } finally {
      await folders.close();
    }
  });
presence.run();
