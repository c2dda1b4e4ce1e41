import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelMessage } from '../../lib/models/model.ts';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type ScriptedModel, type ScriptedModelOptions, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { callModel, type LoadedProvider, loadProvider, rejection, textOf } from './provider-kit.ts';

const weather = { name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object' } };
const image = { mimeType: 'image/png' as const, data: Buffer.from('not really a png').toString('base64') };

/** What every provider plugin does, whatever its wire protocol. Registers and runs one suite. */
export function testProvider<Options>(name: string, plugin: Plugin<Options>): void {
  const test = suite(`A model of ${name}`);

  const withModel =
    (
      replies: Reply[],
      check: (given: { server: ScriptedModel; provider: LoadedProvider }) => Promise<void>,
      options = {},
    ) =>
    async () => {
      const { server: serverOptions, plugin: pluginOptions } = { server: {}, plugin: {}, ...options } as {
        server: ScriptedModelOptions;
        plugin: Record<string, unknown>;
      };
      const server = await startScriptedModel({ replies, apiKey: 'key-12345', ...serverOptions });
      const provider = await loadProvider(plugin, {
        baseUrl: server.url,
        apiKey: 'key-12345',
        model: 'm',
        ...pluginOptions,
      });
      try {
        await within(10_000, check({ server, provider }), 'the test');
      } finally {
        await provider.dispose();
        await server.close();
      }
    };

  test(
    'streams text and reasoning apart, in order, and reports usage and the reason of the end',
    withModel(
      [
        [
          { reasoning: ['Let ', 'me see.'] },
          { text: ['Grüße', ', 世界 🌍'] },
          { usage: { input: 20, output: 7, cached: 4 } },
        ],
      ],
      async ({ provider }) => {
        const { completion, deltas } = await callModel(provider.model);
        assert.equal(deltas, [
          ['reasoning', 'Let '],
          ['reasoning', 'me see.'],
          ['text', 'Grüße'],
          ['text', ', 世界 🌍'],
        ]);
        assert.is(completion.content, 'Grüße, 世界 🌍');
        assert.is(completion.reasoning, 'Let me see.');
        assert.is(completion.finishReason, 'stop');
        assert.equal(completion.toolCalls, []);
        assert.equal(completion.usage, { inputTokens: 20, outputTokens: 7, totalTokens: 27, cachedInputTokens: 4 });
      },
    ),
  );

  for (const chunking of ['whole', 'nasty', 1] as const)
    for (const newline of ['\n', '\r\n'] as const)
      test(
        `reads the same answer cut ${chunking === 1 ? 'into single bytes' : chunking} with ${JSON.stringify(newline)}`,
        withModel(
          [
            [
              { reasoning: 'hm 🤔' },
              { text: 'Grüße 世界' },
              { toolCall: { name: 'get_weather', arguments: { city: 'Köln' } } },
            ],
          ],
          async ({ provider }) => {
            const { completion, deltas } = await callModel(provider.model, { tools: [weather] });
            assert.is(textOf(deltas, 'text'), 'Grüße 世界');
            assert.is(completion.reasoning, 'hm 🤔');
            assert.equal(
              completion.toolCalls.map(({ arguments: given }) => given),
              [{ city: 'Köln' }],
            );
          },
          { server: { chunking, newline } },
        ),
      );

  test(
    'hands over everything of one network read in the same tick',
    withModel(
      [[{ text: ['a', 'b', 'c', 'd'] }]],
      async ({ provider }) => {
        let ticks = 0;
        let pending = false;
        await callModel(
          provider.model,
          {},
          {
            onDelta() {
              if (pending) return;
              pending = true;
              ticks += 1;
              queueMicrotask(() => {
                pending = false;
              });
            },
          },
        );
        assert.is(ticks, 1);
      },
      { server: { chunking: 'whole' } },
    ),
  );

  test(
    'puts the fragments of parallel tool calls together',
    withModel(
      [
        [
          { toolCall: { id: 'call_a', name: 'get_weather', arguments: { city: 'Paris', days: [1, 2] }, fragments: 3 } },
          { toolCall: { id: 'call_b', name: 'get_weather', arguments: {}, fragments: 1 } },
        ],
      ],
      async ({ provider }) => {
        const { completion } = await callModel(provider.model, { tools: [weather] });
        assert.is(completion.finishReason, 'tool_calls');
        assert.equal(completion.toolCalls, [
          { id: 'call_a', name: 'get_weather', arguments: { city: 'Paris', days: [1, 2] } },
          { id: 'call_b', name: 'get_weather', arguments: {} },
        ]);
      },
    ),
  );

  test(
    'marks a call whose arguments are no JSON object, and never guesses them',
    withModel(
      [
        [
          { toolCall: { name: 'get_weather', arguments: '{"city": ' } },
          { toolCall: { name: 'get_weather', arguments: '["Paris"]' } },
          { toolCall: { name: 'get_weather', arguments: '' } },
        ],
      ],
      async ({ provider }) => {
        const { completion } = await callModel(provider.model, { tools: [weather] });
        const [broken, list, none] = completion.toolCalls;
        assert.match(broken?.problem ?? '', /not valid JSON/);
        assert.match(list?.problem ?? '', /not a JSON object/);
        assert.is(none?.problem, undefined);
        assert.equal(
          completion.toolCalls.map((call) => call.arguments),
          [{}, {}, {}],
        );
      },
    ),
  );

  test(
    'marks a call that the token limit may have cut off',
    withModel([[{ toolCall: { name: 'get_weather', arguments: '' } }, { finish: 'length' }]], async ({ provider }) => {
      const { completion } = await callModel(provider.model, { tools: [weather] });
      assert.is(completion.finishReason, 'length');
      assert.match(completion.toolCalls[0]?.problem ?? '', /cut off/);
    }),
  );

  test(
    'gives calls with the same id ids of their own, also against earlier calls',
    withModel(
      [
        [
          { toolCall: { id: 'call_1', name: 'get_weather', arguments: { city: 'A' } } },
          { toolCall: { id: 'call_2', name: 'get_weather', arguments: { city: 'B' } } },
          { toolCall: { id: 'call_2', name: 'get_weather', arguments: { city: 'C' } } },
        ],
      ],
      async ({ provider }) => {
        const messages: ModelMessage[] = [
          { role: 'user', content: 'go' },
          { role: 'assistant', content: '', toolCalls: [{ id: 'call_1', name: 'get_weather', arguments: {} }] },
          { role: 'tool', callId: 'call_1', name: 'get_weather', content: 'rain', isError: false },
        ];
        const { completion } = await callModel(provider.model, { messages, tools: [weather] });
        const ids = completion.toolCalls.map(({ id }) => id);
        assert.is(new Set([...ids, 'call_1']).size, 4);
        assert.is(ids[1], 'call_2');
        assert.equal(
          completion.toolCalls.map((call) => call.arguments.city),
          ['A', 'B', 'C'],
        );
      },
    ),
  );

  for (const [word, finishReason] of [
    ['stop', 'stop'],
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'stop'],
  ] as const)
    test(
      `maps the stop reason ${word} to ${finishReason}`,
      withModel([[{ text: 'x' }, { finish: word }]], async ({ provider }) => {
        assert.is((await callModel(provider.model)).completion.finishReason, finishReason);
      }),
    );

  test(
    'reads an answer that is not streamed although a stream was asked for',
    withModel(
      [],
      async ({ provider, server }) => {
        server.reply([
          { reasoning: 'why' },
          { text: 'whole' },
          { toolCall: { name: 'get_weather', arguments: { city: 'Rome' } } },
        ]);
        const { completion, deltas } = await callModel(provider.model, { tools: [weather] });
        assert.is(server.requests[0]?.body.stream, false);
        assert.equal(deltas, [
          ['reasoning', 'why'],
          ['text', 'whole'],
        ]);
        assert.equal(completion.toolCalls[0]?.arguments, { city: 'Rome' });
        assert.is(completion.finishReason, 'tool_calls');
      },
      { plugin: { stream: false } },
    ),
  );

  test(
    'sends requests that a strict server accepts, whatever the history',
    withModel(
      [[{ text: 'ok' }], [{ text: 'ok' }], [{ text: 'ok' }], [{ text: 'ok' }], [{ text: 'ok' }]],
      async ({ provider, server }) => {
        const calls = [
          { id: 'c:1', name: 'get_weather', arguments: { city: 'Oslo' } },
          { id: 'c 2', name: 'get_weather', arguments: {} },
        ];
        const results: ModelMessage[] = [
          { role: 'tool', callId: 'c:1', name: 'get_weather', content: 'sun', isError: false, images: [image] },
          { role: 'tool', callId: 'c 2', name: 'get_weather', content: '', isError: true },
        ];
        const histories: ModelMessage[][] = [
          [
            { role: 'assistant', content: 'Summary of it all.', toolCalls: [] },
            { role: 'user', content: 'Go on' },
          ],
          [
            { role: 'user', content: 'Tell' },
            { role: 'assistant', content: 'Once upon ', toolCalls: [] },
          ],
          [
            { role: 'user', content: 'a', images: [image] },
            { role: 'user', content: '', images: [image] },
            { role: 'assistant', content: '', toolCalls: calls },
            ...results,
          ],
          [
            { role: 'user', content: 'a' },
            { role: 'assistant', content: '  ', toolCalls: calls },
            ...results,
            { role: 'user', content: 'b' },
            { role: 'assistant', content: '', toolCalls: [] },
          ],
          [{ role: 'assistant', content: 'Summary', toolCalls: [] }],
        ];
        for (const messages of histories) await callModel(provider.model, { messages, tools: [weather] });
        assert.equal(
          server.requests.map(({ problem }) => problem),
          histories.map(() => undefined),
        );
      },
    ),
  );

  test(
    'keeps a text-only message a plain string',
    withModel([[{ text: 'ok' }]], async ({ provider, server }) => {
      await callModel(provider.model, { messages: [{ role: 'user', content: 'Just text' }] });
      const [request] = server.requests;
      assert.equal((request?.body.messages as unknown[] | undefined)?.at(-1), { role: 'user', content: 'Just text' });
    }),
  );

  test(
    'lists the models of the provider when none is configured',
    withModel(
      [],
      async ({ provider }) => {
        assert.equal(
          provider.models.map(({ info }) => info.id),
          ['first', 'second'],
        );
      },
      { server: { models: ['first', 'text-embedding-3-small', 'second'] }, plugin: { model: undefined } },
    ),
  );

  test('starts without models, with a warning, when they cannot be listed', async () => {
    const provider = await within(8_000, loadProvider(plugin, { baseUrl: 'http://127.0.0.1:9', apiKey: 'k' }));
    assert.is(provider.models.length, 0);
    assert.match(provider.warnings.join(), /could not be listed/);
    await provider.dispose();
  });

  test(
    'takes models as ids or objects, and lets their options beat its own',
    withModel(
      [[{ text: 'ok' }]],
      async ({ provider, server }) => {
        assert.equal(
          provider.models.map(({ info }) => [info.id, info.label, info.contextWindow, info.supportsTools]),
          [
            ['plain', 'plain', 1000, true],
            ['fancy', 'Fancy', 9000, false],
          ],
        );
        const fancy = provider.models[1];
        assert.ok(fancy);
        await callModel(fancy, { tools: [weather], temperature: 0.9, maxTokens: 10 });
        const body = server.requests[0]?.body;
        assert.is(body?.model, 'fancy-2');
        assert.is(body?.temperature, 0.1);
        assert.is(body?.max_tokens, 99);
        assert.is(body?.tools, undefined);
      },
      {
        plugin: {
          model: undefined,
          contextWindow: 1000,
          maxTokens: 50,
          models: [
            'plain',
            {
              id: 'fancy',
              model: 'fancy-2',
              label: 'Fancy',
              contextWindow: 9000,
              supportsTools: false,
              temperature: 0.1,
              maxTokens: 99,
            },
          ],
        },
      },
    ),
  );

  test(
    'says which key to check, and never shows it',
    withModel(
      [],
      async ({ provider }) => {
        const error = await rejection(callModel(provider.model));
        assert.is(error.name, 'ProviderError');
        assert.is(error.status, 401);
        assert.is(error.retryable, false);
        assert.not.match(error.message, /wrong-key/);
      },
      { plugin: { apiKey: 'wrong-key' } },
    ),
  );

  test(
    'rejects with the reason of the signal and closes the connection when it aborts',
    withModel([[{ text: 'a' }, { hang: true }]], async ({ provider, server }) => {
      const controller = new AbortController();
      const reason = new Error('cancelled by the user');
      const call = callModel(
        provider.model,
        {},
        { signal: controller.signal, onDelta: () => controller.abort(reason) },
      );
      assert.is(await rejection(call), reason);
      const request = await server.request(0);
      await request.over;
      assert.ok(request.aborted);
    }),
  );

  test(
    'sends nothing when the signal has already aborted',
    withModel([[{ text: 'a' }]], async ({ provider, server }) => {
      const reason = new Error('too late');
      assert.is(await rejection(callModel(provider.model, {}, { signal: AbortSignal.abort(reason) })), reason);
      assert.is(server.requests.length, 0);
    }),
  );

  test.run();
}
