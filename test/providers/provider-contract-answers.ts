import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelMessage } from '../../lib/models/model.ts';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type CaseOptions, type Given, withScript } from './provider-cases.ts';
import { callModel, textOf } from './provider-kit.ts';

const weather = { name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object' } };

/** What every provider plugin makes of an answer. Registers and runs one suite. */
export function testAnswers<Options>(name: string, plugin: Plugin<Options>): void {
  const test = suite(`An answer through ${name}`);
  const scripted =
    (replies: Reply[], check: (given: Given) => Promise<void>, options: CaseOptions = {}) =>
    () =>
      withScript(plugin, replies, { check, ...options });

  test(
    'streams text and reasoning apart, in order, and reports usage and the reason of the end',
    scripted(
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
        scripted(
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
    scripted(
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
    scripted(
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
    scripted(
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
    scripted([[{ toolCall: { name: 'get_weather', arguments: '' } }, { finish: 'length' }]], async ({ provider }) => {
      const { completion } = await callModel(provider.model, { tools: [weather] });
      assert.is(completion.finishReason, 'length');
      assert.match(completion.toolCalls[0]?.problem ?? '', /cut off/);
    }),
  );

  test(
    'gives calls with the same id ids of their own, also against earlier calls',
    scripted(
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
      scripted([[{ text: 'x' }, { finish: word }]], async ({ provider }) => {
        assert.is((await callModel(provider.model)).completion.finishReason, finishReason);
      }),
    );

  test(
    'reads an answer that is not streamed although a stream was asked for',
    scripted(
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

  test.run();
}
