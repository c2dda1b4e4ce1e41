import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { eventually, within } from '../helpers/within.ts';
import { sendStream } from './byte-server.ts';
import { withScript, withServer } from './provider-cases.ts';
import { callModel, failureOf, type LoadedProvider } from './provider-kit.ts';
import { frames, type ProviderName } from './stream-frames.ts';

for (const [name, plugin] of [
  ['chat-completions', chatCompletions],
  ['messages-api', messagesApi],
] as const)
  chaos(name, plugin as Plugin<never>);

function chaos(name: ProviderName, plugin: Plugin<never>): void {
  const test = suite(`An unruly provider behind ${name}`);
  const scripted = (replies: Reply[], options: object, check: (provider: LoadedProvider) => Promise<void>) =>
    withScript(plugin, replies, {
      plugin: { ...options },
      check: ({ provider }) => check(provider),
    });
  const served = (
    answer: (response: ServerResponse, number: number) => unknown,
    options: object,
    check: (provider: LoadedProvider, connections: () => number) => Promise<void>,
  ) => withServer(plugin, answer, { plugin: options, check });
  const frame = frames[name];

  test('has timeoutMs for the whole answer, also when it drips for ever', async () => {
    const drip = (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const timer = setInterval(() => response.write(frame.text('x')), 10);
      response.on('close', () => clearInterval(timer));
    };
    await served(drip, { timeoutMs: 250 }, async (provider) => {
      const error = await failureOf(provider);
      assert.match(error.message, 'timeoutMs');
      assert.is(error.retryable, true);
    });
    await scripted([[{ hang: true }]], { timeoutMs: 200 }, async (provider) => {
      assert.match((await failureOf(provider)).message, 'timeoutMs');
    });
  });

  test('may be silent for idleTimeoutMs inside an answer, not longer', async () => {
    const slow: Reply = [{ text: 'a' }, { delayMs: 120 }, { text: 'b' }, { delayMs: 120 }, { text: 'c' }];
    await scripted([slow, [{ text: 'a' }, { hang: true }]], { idleTimeoutMs: 1_000 }, async (provider) => {
      assert.is((await callModel(provider.model)).completion.content, 'abc');
      const error = await failureOf(provider);
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
      const error = await failureOf(provider);
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
      assert.match((await failureOf(provider)).message, 'a single event of more than');
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

  test('keeps the connection between calls; one that it closes instead of an answer fails the call, which is not sent again unnoticed', async () => {
    let requests = 0;
    const answer = (response: ServerResponse, number: number) => {
      requests = number + 1;
      if (number === 2) response.socket?.destroy();
      else response.writeHead(200).end(frame.text('ok') + frame.end);
    };
    await served(answer, {}, async (provider, connections) => {
      for (let call = 0; call < 2; call++) assert.is((await callModel(provider.model)).completion.content, 'ok');
      assert.is(connections(), 1);
      assert.is((await failureOf(provider)).retryable, true);
      assert.is(requests, 3);
      assert.is((await callModel(provider.model)).completion.content, 'ok');
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

  test('has its calls ended when the plugin is unloaded', async () => {
    await scripted([[{ text: 'a' }, { hang: true }]], {}, async (provider) => {
      const deltas: ['text' | 'reasoning', string][] = [];
      const ended = failureOf(provider, deltas);
      await eventually(5_000, () => deltas.length > 0, 'the first delta');
      await provider.dispose();
      assert.is((await ended).retryable, true);
    });
  });

  test.run();
}
