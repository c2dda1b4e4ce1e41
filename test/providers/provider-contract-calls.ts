import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ModelMessage } from '../../lib/models/model.ts';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { within } from '../helpers/within.ts';
import { type CaseOptions, type Given, withScript } from './provider-cases.ts';
import { callModel, loadProvider, rejection } from './provider-kit.ts';

const weather = { name: 'get_weather', description: 'Weather of a city', parameters: { type: 'object' } };
const image = { mimeType: 'image/png' as const, data: Buffer.from('not really a png').toString('base64') };

/** How every provider plugin registers and calls its models. Registers and runs one suite. */
export function testCalls<Options>(name: string, plugin: Plugin<Options>): void {
  const test = suite(`A model of ${name}`);
  const scripted =
    (replies: Reply[], check: (given: Given) => Promise<void>, options: CaseOptions = {}) =>
    () =>
      withScript(plugin, replies, { check, ...options });

  test(
    'sends requests that a strict server accepts, whatever the history',
    scripted(
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
    scripted([[{ text: 'ok' }]], async ({ provider, server }) => {
      await callModel(provider.model, { messages: [{ role: 'user', content: 'Just text' }] });
      const [request] = server.requests;
      assert.equal((request?.body.messages as unknown[] | undefined)?.at(-1), { role: 'user', content: 'Just text' });
    }),
  );

  test(
    'keeps text-only messages plain strings also where a failed run left one without a reply',
    scripted([[{ text: 'ok' }]], async ({ provider, server }) => {
      const said = ['First try', 'Second try'];
      await callModel(provider.model, { messages: said.map((content) => ({ role: 'user', content })) });
      const sent = (server.requests[0]?.body.messages ?? []) as { role: string; content: unknown }[];
      const texts = sent.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
      assert.ok(texts.every((text) => typeof text === 'string'));
      assert.is(texts.join('\n\n'), said.join('\n\n'));
    }),
  );

  test(
    'lists the models of the provider when none is configured',
    scripted(
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
    scripted(
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
    scripted(
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
    scripted([[{ text: 'a' }, { hang: true }]], async ({ provider, server }) => {
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
    scripted([[{ text: 'a' }]], async ({ provider, server }) => {
      const reason = new Error('too late');
      assert.is(await rejection(callModel(provider.model, {}, { signal: AbortSignal.abort(reason) })), reason);
      assert.is(server.requests.length, 0);
    }),
  );

  test.run();
}
