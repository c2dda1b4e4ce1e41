import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelMessage, ModelRequest } from '../../lib/models/model.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { read } from './chat-reading.ts';
import { callModel, loadProvider } from './provider-kit.ts';
import { anthropic, chat, chatFor, image, imageData, signed, tool } from './request-kit.ts';

const test = suite('A request to a provider');

test('keeps user, tool results and images in the places that chat completions allow', () => {
  const { messages } = chat([
    { role: 'user', content: 'See', images: [image] },
    {
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 'look', arguments: { x: 1 } },
        { id: 'b', name: 'look', arguments: {} },
      ],
    },
    { role: 'tool', callId: 'a', name: 'look', content: 'seen', isError: false, images: [image] },
    { role: 'tool', callId: 'b', name: 'look', content: 'no', isError: true },
    { role: 'assistant', content: 'Nice.', toolCalls: [] },
    { role: 'user', content: 'Thanks' },
  ]);
  const url = `data:image/webp;base64,${imageData}`;
  assert.equal(messages, [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'See' },
        { type: 'image_url', image_url: { url } },
      ],
    },
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"x":1}' } },
        { id: 'b', type: 'function', function: { name: 'look', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: 'seen' },
    { role: 'tool', tool_call_id: 'b', content: 'no' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Images of the result of look (a):' },
        { type: 'image_url', image_url: { url } },
      ],
    },
    { role: 'assistant', content: 'Nice.' },
    { role: 'user', content: 'Thanks' },
  ]);
});

test('puts tool results first, with their images inside, in the one message after the calls of the messages API', () => {
  const { messages, system } = anthropic([
    { role: 'assistant', content: 'Summary', toolCalls: [] },
    { role: 'user', content: 'Go' },
    { role: 'user', content: '  ' },
    {
      role: 'assistant',
      content: ' ',
      toolCalls: [
        { id: 'a.1', name: 'look', arguments: {} },
        { id: 'b', name: 'no such tool!', arguments: {} },
      ],
    },
    { role: 'tool', callId: 'a.1', name: 'look', content: 'seen', isError: false, images: [image] },
    { role: 'tool', callId: 'b', name: 'no such tool!', content: '', isError: true },
    { role: 'user', content: 'And?' },
  ]);
  assert.is(system, 'Be brief.');
  assert.equal(messages, [
    { role: 'user', content: 'The conversation so far:' },
    { role: 'assistant', content: 'Summary' },
    { role: 'user', content: 'Go' },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'a_1', name: 'look', input: {} },
        { type: 'tool_use', id: 'b', name: 'no_such_tool_', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'a_1',
          content: [
            { type: 'text', text: 'seen' },
            { type: 'image', source: { type: 'base64', media_type: 'image/webp', data: imageData } },
          ],
        },
        { type: 'tool_result', tool_use_id: 'b', content: '(no output)', is_error: true },
        { type: 'text', text: 'And?' },
      ],
    },
  ]);
});

test('always carries max_tokens, above the thinking budget, and no temperature beside thinking', () => {
  const body = (options: object, request: Partial<ModelRequest> = {}) =>
    anthropic([{ role: 'user', content: 'x' }], options, request);
  assert.is(body({}).max_tokens, 4096);
  assert.is(body({}, { maxTokens: 100 }).max_tokens, 100);
  assert.is(body({ maxTokens: 200 }, { maxTokens: 100 }).max_tokens, 200);
  assert.is(body({}, { temperature: 1.7 }).temperature, 1);
  const thinking = body({ thinkingBudget: 5000 }, { temperature: 0.2 });
  assert.is(thinking.max_tokens, 9096);
  assert.is(thinking.temperature, undefined);
  assert.equal(thinking.thinking, { type: 'enabled', budget_tokens: 5000 });
  assert.is(body({ thinkingBudget: 2000 }).max_tokens, 4096);
});

test('declares tools for a history with calls even when none are offered, and does not allow them', () => {
  const history = toolTurn({});
  assert.equal(anthropic(history, { supportsTools: false }).tool_choice, { type: 'none' });
  assert.equal(anthropic(history, {}, { tools: [] }).tool_choice, { type: 'none' });
  assert.is(anthropic(history).tool_choice, undefined);
});

test('marks the system prompt and the last block for the cache when asked to', () => {
  const mark = { type: 'ephemeral' };
  const { system, messages } = anthropic([{ role: 'user', content: 'Hi' }], { cache: true });
  assert.equal(system, [{ type: 'text', text: 'Be brief.', cache_control: mark }]);
  assert.equal(messages, [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: mark }] }]);
});

test('hands signed thinking back inside its turn, unchanged, and to nobody but the model that signed it', () => {
  const content = (meta: Record<string, unknown>, extra: ModelMessage[] = []) => {
    const body = anthropic([...toolTurn(meta), ...extra], { thinkingBudget: 1024 });
    const [, assistant] = body.messages as { content: { type: string }[] }[];
    return { types: assistant?.content.map(({ type }) => type), thinks: body.thinking !== undefined };
  };
  assert.equal(content(signed('m', 'hm')), { types: ['thinking', 'tool_use'], thinks: true });
  assert.equal(content(signed('another', 'hm')), { types: ['tool_use'], thinks: false });
  assert.equal(content({}), { types: ['tool_use'], thinks: false });
  const next: ModelMessage[] = [
    { role: 'assistant', content: 'Done', toolCalls: [] },
    { role: 'user', content: 'Next' },
  ];
  assert.equal(content(signed('m', 'hm'), next), { types: ['tool_use'], thinks: true });
  assert.equal(content({}, next), { types: ['tool_use'], thinks: true });
});

test('hands back what a chat completions server signed: reasoning details and the extras of calls', () => {
  const { completion } = read([
    { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Let ' }] },
    { reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'me.', signature: null }] },
    { reasoning_details: [{ type: 'reasoning.text', index: 0, signature: 'sig' }] },
    {
      tool_calls: [
        {
          index: 0,
          id: 'a',
          extra_content: { google: { thought_signature: 'ts' } },
          function: { name: 'look', arguments: '{}' },
        },
      ],
    },
  ]);
  const sentBy = (id: string) => {
    const history = toolTurn(JSON.parse(JSON.stringify(completion.meta ?? {})));
    const { messages } = chatFor(id, history);
    return (messages as Record<string, unknown>[])[2];
  };
  const call = { id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } };
  assert.equal(sentBy('m'), {
    role: 'assistant',
    content: null,
    reasoning_details: [{ type: 'reasoning.text', index: 0, text: 'Let me.', signature: 'sig' }],
    tool_calls: [{ ...call, extra_content: { google: { thought_signature: 'ts' } } }],
  });
  assert.equal(sentBy('another'), { role: 'assistant', content: null, tool_calls: [call] });
  assert.is(read([{ reasoning_details: [{ type: 'reasoning.text', text: 'unsigned' }] }]).completion.meta, undefined);
});

test('hands back the extras of calls whatever a server calls them, and none where there were none', () => {
  for (const id of ['__proto__', 'constructor']) {
    const written = (extra: object) => [{ index: 0, id, ...extra, function: { name: 'look', arguments: '{}' } }];
    const sentAfter = (extra: object) => {
      const { completion } = read([{ tool_calls: written(extra) }]);
      const { toolCalls, meta = {} } = JSON.parse(JSON.stringify(completion));
      const asked: ModelMessage[] = [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: '', toolCalls, meta },
        { role: 'tool', callId: id, name: 'look', content: 'seen', isError: false },
      ];
      const { messages } = JSON.parse(JSON.stringify(chatFor('m', asked)));
      return messages.find(({ role }: { role: string }) => role === 'assistant').tool_calls[0].extra_content;
    };
    assert.equal(sentAfter({ extra_content: { signed: 'ts' } }), { signed: 'ts' });
    assert.is(sentAfter({}), undefined);
  }
});

test('survives the round trip of a tool turn with thinking', async () => {
  const server = await startScriptedModel({
    replies: [
      [{ reasoning: ['Let me ', 'look.'] }, { text: 'Looking' }, { toolCall: { name: 'look', arguments: {} } }],
      [{ text: 'Found' }],
    ],
  });
  const provider = await loadProvider(messagesApi, {
    baseUrl: server.url,
    apiKey: 'k',
    model: 'm',
    thinkingBudget: 1024,
  });
  try {
    const first = (await within(5_000, callModel(provider.model, { tools: [tool] }))).completion;
    const [call] = first.toolCalls;
    assert.ok(call);
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Hello' },
      {
        role: 'assistant',
        content: first.content,
        toolCalls: [call],
        ...(first.meta === undefined ? {} : { meta: JSON.parse(JSON.stringify(first.meta)) }),
      },
      { role: 'tool', callId: call.id, name: 'look', content: 'a hat', isError: false },
    ];
    await within(5_000, callModel(provider.model, { messages, tools: [tool] }));
    assert.is(server.requests[1]?.problem, undefined);
    assert.ok(JSON.stringify(server.requests[1]?.body).includes('"Let me look."'));
  } finally {
    await provider.dispose();
    await server.close();
  }
});

test.run();

function toolTurn(meta: Record<string, unknown>): ModelMessage[] {
  return [
    { role: 'user', content: 'Look' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'look', arguments: {} }], meta },
    { role: 'tool', callId: 'a', name: 'look', content: 'seen', isError: false },
  ];
}
