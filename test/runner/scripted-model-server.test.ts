import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cut } from '../helpers/scripted-model/writer.ts';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';

const test = suite('the scripted model answers as the vendors do');
const open: ScriptedModel[] = [];

async function start(options: ScriptedModelOptions): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  open.push(model);
  return model;
}

test.after.each(async () => {
  for (const model of open.splice(0)) await model.close();
});

const rich: ScriptedModelOptions['replies'] = [
  [
    { reasoning: ['Let me ', 'see.'] },
    { text: ['Grüße ', '👋'] },
    { toolCall: { id: 'call_1', name: 'read_file', arguments: { path: 'a.txt' }, fragments: 3 } },
    { usage: { input: 12, output: 7, cached: 4 } },
  ],
];

for (const chunking of ['event', 'whole', 'nasty', 1] as const) {
  test(`a chat-completions SDK reads a stream cut by ${chunking}`, async () => {
    const model = await start({ replies: rich, chunking, newline: chunking === 'nasty' ? '\r\n' : '\n' });
    const client = new OpenAI({ apiKey: 'k', baseURL: model.url, maxRetries: 0 });
    const stream = client.chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream_options: { include_usage: true },
    });
    const completion = await within(5_000, stream.finalChatCompletion());
    const choice = completion.choices[0];
    assert.is(choice?.finish_reason, 'tool_calls');
    assert.is(choice?.message.content, 'Grüße 👋');
    assert.is(choice?.message.tool_calls?.[0]?.function.arguments, '{"path":"a.txt"}');
    assert.is(completion.usage?.total_tokens, 19);
  });

  test(`a messages SDK reads a stream cut by ${chunking}`, async () => {
    const model = await start({ replies: rich, chunking });
    const client = new Anthropic({ apiKey: 'k', baseURL: model.url.replace('/v1', ''), maxRetries: 0 });
    const stream = client.messages.stream({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
    const message = await within(5_000, stream.finalMessage());
    assert.is(message.stop_reason, 'tool_use');
    assert.equal(
      message.content.map(({ type }) => type),
      ['thinking', 'text', 'tool_use'],
    );
    const [thinking, text, call] = message.content;
    assert.ok(thinking?.type === 'thinking' && thinking.thinking === 'Let me see.' && thinking.signature !== '');
    assert.ok(text?.type === 'text' && text.text === 'Grüße 👋');
    assert.equal(call?.type === 'tool_use' && call.input, { path: 'a.txt' });
    assert.is(message.usage.cache_read_input_tokens, 4);
  });
}

test('both vendors get one JSON body when they do not stream', async () => {
  const model = await start({ answer: () => [{ text: 'hello' }] });
  const chat = await new OpenAI({ apiKey: 'k', baseURL: model.url }).chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
  });
  assert.is(chat.choices[0]?.message.content, 'hello');
  const messages = await new Anthropic({ apiKey: 'k', baseURL: model.url.replace('/v1', '') }).messages.create({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content: 'hi' }],
  });
  assert.ok(messages.content[0]?.type === 'text' && messages.content[0].text === 'hello');
});

test('a wrong key, a scripted status and Retry-After arrive as the vendor sends them', async () => {
  const model = await start({ apiKey: 'right', replies: [[{ status: 429, retryAfter: '2' }]] });
  const send = (apiKey: string) =>
    post(`${model.url}/chat/completions`, goodChat, { authorization: `Bearer ${apiKey}` });
  assert.is((await send('wrong')).status, 401);
  const limited = await send('right');
  assert.is(limited.status, 429);
  assert.is(limited.headers.get('retry-after'), '2');
  assert.is((await errorOf(limited)).type, 'rate_limit_error');
});

test('a held answer starts when it is released, and a client that leaves is seen', async () => {
  const model = await start({ answer: () => [{ text: 'a' }, { hold: 'middle' }, { text: 'b' }] });
  const first = post(`${model.url}/chat/completions`, { ...goodChat, stream: true });
  await within(2_000, model.held('middle'));
  model.release('middle');
  const text = await (await first).text();
  assert.ok(text.indexOf('"content":"a"') < text.indexOf('"content":"b"'));

  model.hold();
  const abort = new AbortController();
  const second = post(`${model.url}/chat/completions`, goodChat, {}, abort.signal).catch(() => 'left');
  const request = await within(2_000, model.request(1));
  abort.abort();
  await within(2_000, request.over);
  assert.is(request.aborted, true);
  assert.is(await second, 'left');
});

test('resets, endless answers and truncated streams are what they say', async () => {
  const model = await start({
    replies: [[{ reset: true }], [{ text: 'a' }, { reset: true }], [{ text: 'a' }, { end: true }]],
  });
  const send = () => post(`${model.url}/chat/completions`, { ...goodChat, stream: true });
  assert.is(await send().catch(() => 'no answer'), 'no answer');
  const broken = await send();
  assert.is(broken.status, 200);
  assert.is(await broken.text().catch(() => 'broken'), 'broken');
  const short = await (await send()).text();
  assert.ok(short.includes('"content":"a"') && !short.includes('[DONE]'));
});

test('nasty cuts fall inside characters and between CR and LF, and lose nothing', () => {
  const text = Buffer.from('data: "ü👋"\r\n\r\n');
  const parts = cut(text, 'nasty');
  assert.equal(Buffer.concat(parts), text);
  assert.ok(parts.some((part) => part.at(-1) === 0x0d));
  assert.ok(parts.some((part) => part.at(-1) === 0xc3));
});

const goodChat = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

const badChats: [string, object][] = [
  ['no messages', { messages: [] }],
  ['an unknown argument', { surprise: 1 }],
  ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }],
  ['a call without result', { messages: [{ role: 'assistant', tool_calls: [call('a')] }, goodChat.messages[0]] }],
  ['a result without call', { messages: [{ role: 'tool', tool_call_id: 'a', content: '' }] }],
  ['the same id twice', { messages: [{ role: 'assistant', tool_calls: [call('a'), call('a')] }] }],
  ['an empty list of calls', { messages: [{ role: 'assistant', content: 'x', tool_calls: [] }] }],
  ['an empty list of tools', { tools: [] }],
  ['tools with one name', { tools: [1, 2].map(() => ({ type: 'function', function: { name: 'f' } })) }],
  ['usage asked for without a stream', { stream_options: { include_usage: true } }],
  ['an image in a result', { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] }],
];

for (const [what, change] of badChats)
  test(`chat completions refuse ${what}`, async () => {
    const model = await start({ answer: () => [{ text: 'never' }] });
    const answer = await post(`${model.url}/chat/completions`, { ...goodChat, ...change });
    assert.is(answer.status, 400);
    const error = await errorOf(answer);
    assert.is(error.type, 'invalid_request_error');
    assert.is(model.requests[0]?.problem, error.message);
  });

const goodMessages = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] };
const use = (id: string) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] });
const result = (id: string) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] });
const tools = [{ name: 'f', input_schema: { type: 'object' } }];
const [hi] = goodMessages.messages;

const badMessages: [string, object][] = [
  ['no max_tokens', { max_tokens: undefined }],
  ['a first message of the assistant', { messages: [{ role: 'assistant', content: 'x' }] }],
  ['two turns of one role', { messages: [hi, hi] }],
  ['a system message', { messages: [{ role: 'system', content: 'x' }] }],
  ['empty text', { messages: [{ role: 'user', content: '' }] }],
  ['blank text', { messages: [{ role: 'user', content: [{ type: 'text', text: '  ' }] }] }],
  ['an unanswered call', { tools, messages: [hi, use('a'), hi] }],
  ['a call id twice', { tools, messages: [hi, use('a'), result('a'), use('a'), result('a')] }],
  ['a result that nobody asked for', { tools, messages: [hi, use('a'), result('b')] }],
  ['calls without tools', { messages: [hi, use('a'), result('a')] }],
  [
    'a forged signature',
    { messages: [hi, { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 'y' }] }] },
  ],
  ['a small thinking budget', { thinking: { type: 'enabled', budget_tokens: 5 } }],
];

for (const [what, change] of badMessages)
  test(`the messages API refuses ${what}`, async () => {
    const model = await start({ answer: () => [{ text: 'never' }] });
    const answer = await post(
      `${model.url}/messages`,
      { ...goodMessages, ...change },
      { 'anthropic-version': '2023-06-01' },
    );
    assert.is(answer.status, 400);
    assert.is((await errorOf(answer)).type, 'invalid_request_error');
  });

test('sound conversations with tools pass both checks', async () => {
  const model = await start({ answer: () => [{ text: 'fine' }] });
  const chat = await post(`${model.url}/chat/completions`, {
    ...goodChat,
    messages: [
      ...goodChat.messages,
      { role: 'assistant', content: null, tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'b', content: 'r' },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ],
  });
  assert.is(chat.status, 200);
  const version = { 'anthropic-version': '2023-06-01' };
  const messages = { ...goodMessages, tools, messages: [hi, use('a'), result('a')] };
  assert.is((await post(`${model.url}/messages`, messages, version)).status, 200);
});

function post(url: string, body: object, headers: Record<string, string> = {}, signal?: AbortSignal) {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  });
}

async function errorOf(response: Response): Promise<{ type: string; message: string }> {
  return ((await response.json()) as { error: { type: string; message: string } }).error;
}

test.run();
