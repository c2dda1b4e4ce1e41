import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { sendStream, startByteServer } from './byte-server.ts';
import { callModel, type LoadedProvider, loadProvider, rejection, textOf } from './provider-kit.ts';

const frames = {
  'chat-completions': {
    text: (text: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`,
    call: (json: string) =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 't', arguments: json } }] } }] })}\n\n`,
    callStart: '',
    end: 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
  'messages-api': {
    text: (text: string) =>
      `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`,
    call: (json: string) =>
      `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } })}\n\n`,
    callStart: `data: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 't', input: {} } })}\n\n`,
    end: 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n',
  },
};

chaos('chat-completions', chatCompletions);
chaos('messages-api', messagesApi);

function chaos<Options>(name: keyof typeof frames, plugin: Plugin<Options>): void {
  const test = suite(`A failing provider behind ${name}`);
  const frame = frames[name];

  const scripted = async (replies: Reply[], options: object, check: (provider: LoadedProvider) => Promise<void>) => {
    const server = await startScriptedModel({ replies });
    const provider = await loadProvider(plugin, { baseUrl: server.url, apiKey: 'k', model: 'm', ...options });
    try {
      await within(15_000, check(provider), 'the test');
    } finally {
      await provider.dispose();
      await server.close();
    }
  };
  const served = async (
    answer: (response: ServerResponse, number: number) => unknown,
    options: object,
    check: (provider: LoadedProvider, connections: () => number) => Promise<void>,
  ) => {
    const server = await startByteServer(answer);
    const provider = await loadProvider(plugin, { baseUrl: server.url, apiKey: 'k', model: 'm', ...options });
    try {
      await within(15_000, check(provider, server.connections), 'the test');
    } finally {
      await provider.dispose();
      await server.close();
    }
  };
  const failure = async (provider: LoadedProvider, deltas?: ['text' | 'reasoning', string][]) => {
    const error = await rejection(callModel(provider.model, {}, deltas === undefined ? {} : { deltas }));
    assert.is(error.name, 'ProviderError', error.stack ?? '');
    return error;
  };

  test('is worth another attempt for 408, 409, 425, 429 and any 5xx, and for nothing else', async () => {
    const statuses = [
      307, 400, 401, 402, 403, 404, 408, 409, 410, 413, 418, 422, 425, 429, 500, 501, 502, 503, 504, 520, 529,
    ];
    const replies = statuses.map((status): Reply => [{ status, message: `scripted ${status}` }]);
    await scripted(replies, {}, async (provider) => {
      const retryable: number[] = [];
      for (const status of statuses) {
        const error = await failure(provider);
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
      for (const _ of forms) hints.push((await failure(provider)).retryAfterMs);
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
        const { message } = await failure(provider);
        assert.match(message, expected, body.slice(0, 50));
        assert.ok(message.length < 700 && !message.includes('\n'), message.slice(0, 50));
      }
    });
  });

  test('never gets its key into an error', async () => {
    const reply: Reply = [{ status: 401, message: 'Incorrect key: very-secret-key' }];
    await scripted([reply], { apiKey: 'very-secret-key' }, async (provider) => {
      const { message } = await failure(provider);
      assert.match(message, 'Incorrect key: [key]');
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
        const error = await failure(provider, deltas);
        assert.is(error.retryable, true);
        assert.is(textOf(deltas, 'text'), expected);
      }
    });
  });

  test('has not answered when the stream ends before the end of the answer', async () => {
    await scripted([[{ text: 'Hel' }, { end: true }]], {}, async (provider) => {
      const error = await failure(provider);
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
          const failed = await failure(provider);
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
      for (const pattern of expected) assert.match((await failure(provider)).message, pattern);
    });
  });

  test('has timeoutMs for the whole answer, also when it drips for ever', async () => {
    const drip = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(frame.text('x')), 10);
      response.on('close', () => clearInterval(timer));
    };
    await served(drip, { timeoutMs: 250 }, async (provider) => {
      const error = await failure(provider);
      assert.match(error.message, 'timeoutMs');
      assert.is(error.retryable, true);
    });
    await scripted([[{ hang: true }]], { timeoutMs: 200 }, async (provider) => {
      assert.match((await failure(provider)).message, 'timeoutMs');
    });
  });

  test('may be silent for idleTimeoutMs inside an answer, not longer', async () => {
    const slow: Reply = [{ text: 'a' }, { delayMs: 120 }, { text: 'b' }, { delayMs: 120 }, { text: 'c' }];
    await scripted([slow, [{ text: 'a' }, { hang: true }]], { idleTimeoutMs: 1_000 }, async (provider) => {
      assert.is((await callModel(provider.model)).completion.content, 'abc');
      const error = await failure(provider);
      assert.match(error.message, 'idleTimeoutMs');
      assert.is(error.retryable, true);
    });
  });

  test('is cut off when the arguments of a call grow without end', async () => {
    const part = frame.call('x'.repeat(256 * 1024));
    let sent = 0;
    const flood = async (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frame.callStart);
      while (!response.closed && sent < 60 * 1024 * 1024) {
        sent += part.length;
        if (!response.write(part))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      }
      response.end(frame.end);
    };
    await served(flood, {}, async (provider) => {
      const error = await failure(provider);
      assert.match(error.message, /more than \d+ characters in one answer \(arguments of a tool call\)/);
      assert.is(error.retryable, false);
      assert.ok(sent < 60 * 1024 * 1024, 'the rest was not waited for');
    });
  });

  test('is cut off when a single event never ends', async () => {
    const flood = async (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: ');
      while (!response.closed)
        if (!response.write('x'.repeat(256 * 1024)))
          await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
    };
    await served(flood, {}, async (provider) => {
      assert.match((await failure(provider)).message, 'a single event of more than');
    });
  });

  test('is understood when a proxy compresses the stream unasked', async () => {
    const bytes = gzipSync(frame.text('squeezed') + frame.end);
    await served(
      (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(bytes),
      {},
      async (provider) => assert.is((await callModel(provider.model)).completion.content, 'squeezed'),
    );
  });

  test('is understood without the last blank line, with comments, and with a byte order mark', async () => {
    const text = `\uFEFF: hello\n\n${frame.text('fine')}: keep-alive\n\nretry: 100\n${frame.end.split('\n\n')[0]}`;
    await served(
      (response) => sendStream(response, [Buffer.from(text)]),
      {},
      async (provider) => assert.is((await callModel(provider.model)).completion.content, 'fine'),
    );
  });

  test('keeps the connection between calls, and a stale one is replaced unnoticed', async () => {
    const answer = (response: ServerResponse, number: number) =>
      number === 2 ? response.socket?.destroy() : response.writeHead(200).end(frame.text('ok') + frame.end);
    await served(answer, {}, async (provider, connections) => {
      for (let call = 0; call < 3; call++) assert.is((await callModel(provider.model)).completion.content, 'ok');
      assert.is(connections(), 2);
    });
  });

  test('does not hold the call up when it leaves the connection open after the end of the answer', async () => {
    const open = (response: ServerResponse) => {
      response.writeHead(200).write(frame.text('ok') + frame.end);
    };
    await served(open, { timeoutMs: 5_000 }, async (provider) => {
      assert.is((await within(2_000, callModel(provider.model))).completion.content, 'ok');
    });
  });

  test('has its connection used again when it ends a body late, and closed when it never does', async () => {
    const over: Promise<void>[] = [];
    const late = (response: ServerResponse, number: number) => {
      over.push(new Promise((resolve) => response.on('close', resolve)));
      response.writeHead(200).write(frame.text('ok') + frame.end);
      if (number === 0) setTimeout(() => response.end(': late\n\n'), 120);
    };
    await served(late, {}, async (provider, connections) => {
      await callModel(provider.model);
      await over[0];
      await new Promise((resolve) => setTimeout(resolve, 100));
      await callModel(provider.model);
      assert.is(connections(), 1);
      await over[1];
    });
  });

  test('that nobody answers for is a network failure', async () => {
    const provider = await loadProvider(plugin, { baseUrl: 'http://127.0.0.1:9', apiKey: 'k', model: 'm' });
    const error = await within(5_000, failure(provider));
    assert.is(error.retryable, true);
    assert.match(error.message, 'connection refused');
    await provider.dispose();
  });

  test('is not called with a key that HTTP cannot carry', async () => {
    const provider = await loadProvider(plugin, { baseUrl: 'http://127.0.0.1:9', apiKey: 'line\nbreak', model: 'm' });
    const error = await within(5_000, failure(provider));
    assert.is(error.retryable, false);
    await provider.dispose();
  });

  test.run();
}
