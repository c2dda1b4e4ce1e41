import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { within } from '../helpers/within.ts';
import { withScript } from './provider-cases.ts';
import { failureOf, type LoadedProvider, loadProvider, textOf } from './provider-kit.ts';
import { frames, type ProviderName } from './stream-frames.ts';

for (const [name, plugin] of [
  ['chat-completions', chatCompletions],
  ['messages-api', messagesApi],
] as const)
  failures(name, plugin as Plugin<never>);

function failures(name: ProviderName, plugin: Plugin<never>): void {
  const test = suite(`A failing provider behind ${name}`);
  const scripted = (replies: Reply[], options: object, check: (provider: LoadedProvider) => Promise<void>) =>
    withScript(plugin, replies, {
      plugin: { ...options },
      server: { apiKey: undefined },
      check: ({ provider }) => check(provider),
    });
  const frame = frames[name];

  test('is worth another attempt for 408, 409, 425, 429 and any 5xx, and for nothing else', async () => {
    const statuses = [
      307, 400, 401, 402, 403, 404, 408, 409, 410, 413, 418, 422, 425, 429, 500, 501, 502, 503, 504, 520, 529,
    ];
    const replies = statuses.map((status): Reply => [{ status, message: `scripted ${status}` }]);
    await scripted(replies, {}, async (provider) => {
      const retryable: number[] = [];
      for (const status of statuses) {
        const error = await failureOf(provider);
        assert.is(error.status, status);
        assert.match(error.message, `scripted ${status}`);
        if (error.retryable) retryable.push(status);
      }
      assert.equal(retryable, [408, 409, 425, 429, 500, 501, 502, 503, 504, 520, 529]);
    });
  });

  test('passes its Retry-After on, and ignores what is no hint', async () => {
    const soon = new Date(Date.now() + 90_000).toUTCString();
    const past = new Date(Date.now() - 90_000).toUTCString();
    const forms = ['0', '7', '1.5', '1000000000', soon, past, '-5', 'soon', '', '1e9', '0x10'];
    const replies = forms.map((retryAfter): Reply => [{ status: 429, retryAfter }]);
    await scripted(replies, {}, async (provider) => {
      const hints: unknown[] = [];
      for (const _ of forms) hints.push((await failureOf(provider)).retryAfterMs);
      const date = hints[4];
      assert.ok(typeof date === 'number' && date > 60_000 && date <= 90_000, `${date}`);
      hints[4] = 'the date';
      assert.equal(hints, [0, 7000, 1500, 1e12, 'the date', ...Array(6).fill(undefined)]);
    });
  });

  test('is named in one line, whatever the body of the answer is', async () => {
    const page = '<html><head><title>502 Bad Gateway</title></head><body><h1>nginx</h1></body></html>';
    const bodies = [
      ['{"error":{"message":"Too\\nmany requests"}}', /: Too many requests$/],
      ['{"error":"no such model"}', /no such model$/],
      ['{"message":"flat"}', /flat$/],
      ['{"detail":[{"msg":"field required"}]}', /field required$/],
      [page, /502 Bad Gateway$/],
      ['upstream connect error', /upstream connect error$/],
      ['', /no reason given$/],
      ['{"a":1}', /no reason given$/],
      ['['.repeat(50_000), /HTTP 500/],
      [`{"error":{"message":"${'x'.repeat(5_000)}"}}`, /x\.\.\.$/],
    ] as const;
    const replies = bodies.map(([body]): Reply => [{ status: 500, body }]);
    await scripted(replies, {}, async (provider) => {
      for (const [body, expected] of bodies) {
        const { message } = await failureOf(provider);
        assert.match(message, expected, body.slice(0, 50));
        assert.ok(message.length < 700 && !message.includes('\n'), message.slice(0, 50));
      }
    });
  });

  test('never gets its key into an error', async () => {
    const reply: Reply = [{ status: 401, message: 'Incorrect key: very-secret-key' }];
    await scripted([reply], { apiKey: 'very-secret-key' }, async (provider) => {
      const { message } = await failureOf(provider);
      assert.match(message, 'Incorrect key: [redacted]');
    });
  });

  test('keeps its words when the key is too short to be one', async () => {
    const reply: Reply = [{ status: 401, message: 'Incorrect key, see section e' }];
    await scripted([reply], { apiKey: 'e' }, async (provider) => {
      assert.match((await failureOf(provider)).message, 'Incorrect key, see section e');
    });
  });

  test('may pass when it resets the connection, at whatever point', async () => {
    const half = Buffer.from(frame.text('ü')).subarray(0, Buffer.from(frame.text('ü')).indexOf(0xc3) + 1);
    const replies: Reply[] = [
      [{ reset: true }],
      [{ headers: {} }, { reset: true }],
      [{ text: 'Hel' }, { delayMs: 20 }, { reset: true }],
      [{ text: 'Hel' }, { raw: half }, { delayMs: 20 }, { reset: true }],
    ];
    await scripted(replies, {}, async (provider) => {
      for (const expected of ['', '', 'Hel', 'Hel']) {
        const deltas: ['text' | 'reasoning', string][] = [];
        const error = await failureOf(provider, deltas);
        assert.is(error.retryable, true);
        assert.is(textOf(deltas, 'text'), expected);
      }
    });
  });

  test('has not answered when the stream ends before the end of the answer', async () => {
    await scripted([[{ text: 'Hel' }, { end: true }]], {}, async (provider) => {
      const error = await failureOf(provider);
      assert.is(error.retryable, true);
      assert.match(error.message, 'before the answer was complete');
    });
  });

  test('fails the call with an error inside the stream, before and after the first delta', async () => {
    const error = { message: 'Overloaded, sorry', type: 'overloaded_error' };
    await scripted(
      [[{ error }], [{ text: 'Hel' }, { error }], [{ error: { message: 'Bad', type: 'invalid_request_error' } }]],
      {},
      async (provider) => {
        for (const retryable of [true, true, false]) {
          const failed = await failureOf(provider);
          assert.match(failed.message, retryable ? 'Overloaded, sorry' : 'Bad');
          assert.is(failed.retryable, retryable);
        }
      },
    );
  });

  test('is told from a model when it sends a page, nothing, text or broken JSON with status 200', async () => {
    const raw = (text: string): Reply => [{ raw: text }];
    const replies: Reply[] = [
      [{ html: '<html><head><title>Sign in</title></head></html>' }],
      raw(''),
      raw('Service starting, please wait'),
      raw('data: {"choices": [\n\n'),
      raw('{"error": {"message": "in a document"}}'),
      raw('[1, 2]'),
    ];
    const expected = [
      /Sign in/,
      /empty answer/,
      /Service starting/,
      /not JSON/,
      /in a document/,
      /error without a message/,
    ];
    await scripted(replies, {}, async (provider) => {
      for (const pattern of expected) assert.match((await failureOf(provider)).message, pattern);
    });
  });

  test('that nobody answers for is a network failure', async () => {
    const provider = await loadProvider(plugin, { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm' });
    const error = await within(5_000, failureOf(provider));
    assert.is(error.retryable, true);
    assert.match(error.message, 'connection refused');
    await provider.dispose();
  });

  test('is not called with a key that HTTP cannot carry', async () => {
    const provider = await loadProvider(plugin, { baseUrl: 'http://127.0.0.1:9', apiKey: 'line\nbreak', model: 'm' });
    const error = await within(5_000, failureOf(provider));
    assert.is(error.retryable, false);
    await provider.dispose();
  });

  test.run();
}
