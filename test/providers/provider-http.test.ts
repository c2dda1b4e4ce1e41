import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer } from 'node:net';
import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Clock } from '../../lib/base/clock.ts';
import { createProviderHttp } from '../../lib/models/provider-http.ts';
import { createBodyDecoder } from '../../lib/models/provider-http-body.ts';
import { startDeadlines } from '../../lib/models/provider-http-deadlines.ts';
import { condense, statusFailure } from '../../lib/models/provider-http-failure.ts';
import { listedModels } from '../../lib/models/provider-models.ts';
import { configuredModels } from '../../lib/models/provider-options.ts';
import { within } from '../helpers/within.ts';
import { startByteServer } from './byte-server.ts';
import { rejection } from './provider-kit.ts';

const test = suite('HTTP for providers');
const now = Date.UTC(2030, 0, 1, 12, 0, 0);
const defaults = { provider: 'Tested', headers: {}, timeoutMs: 5_000 };
const signal = new AbortController().signal;

test('yields the same events however the bytes are cut and lines end', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => text.replace(/[\r\n]/g, ' '));
  const event = fc.record(
    {
      name: fc.option(
        line.map((text) => `e${text.trim()}`),
        { nil: undefined },
      ),
      data: fc.array(line, { minLength: 1, maxLength: 3 }),
    },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n'),
      fc.array(fc.nat(400), { maxLength: 30 }),
      (events, end, cuts) => {
        const text = events
          .map(({ name, data }) =>
            [...(name === undefined ? [] : [`event: ${name}`]), ...data.map((each) => `data: ${each}`), '', ''].join(
              end,
            ),
          )
          .join(`: comment${end}`);
        const seen: { name: string | undefined; data: string[] }[] = [];
        const decoder = createBodyDecoder(
          'Tested',
          { onEvent: (data, name) => seen.push({ name, data: data.split('\n') }) < 0, onDocument: () => {} },
          { responseBytes: 1e6, lineChars: 1e6 },
        );
        const bytes = Buffer.from(text);
        const at = [0, ...new Set(cuts.filter((cut) => cut > 0 && cut < bytes.length))].sort((a, b) => a - b);
        for (const [index, from] of at.entries()) decoder.write(bytes.subarray(from, at[index + 1] ?? bytes.length));
        decoder.end();
        assert.equal(seen, events);
      },
    ),
  );
});

test('waits for the answer through blank keep-alive lines', () => {
  const read = (pieces: string[]): unknown[] => {
    const seen: unknown[] = [];
    const reader = {
      onEvent: (data: string) => seen.push(data) < 0,
      onDocument: (value: unknown) => void seen.push(value),
    };
    const decoder = createBodyDecoder('Tested', reader, { responseBytes: 1e6, lineChars: 1e6 });
    for (const piece of pieces) decoder.write(Buffer.from(piece));
    decoder.end();
    return seen;
  };
  assert.equal(read(['\n', '  \n', '{"a"', ':1}']), [{ a: 1 }]);
  assert.equal(read(['\r\n\r\n', 'da', 'ta: x\n\n']), ['x']);
});

test('reads Retry-After in seconds, milliseconds and the three forms of HTTP dates', () => {
  const hint = (value: string, name = 'retry-after') =>
    statusFailure('p', { status: 429, headers: { [name]: value }, body: '' }, now).retryAfterMs;
  assert.is(hint('120'), 120_000);
  assert.is(hint('250', 'retry-after-ms'), 250);
  assert.is(hint('Tue, 01 Jan 2030 12:00:30 GMT'), 30_000);
  assert.is(hint('Tuesday, 01-Jan-30 12:00:30 GMT'), 30_000);
  assert.is(hint('Tue Jan  1 12:00:30 2030 GMT'), 30_000);
  for (const none of ['Tue, 01 Jan 2030 11:59:59 GMT', '-1', 'NaN', 'Infinity', '1,5', '12 parsecs', '2030-01-01', ' '])
    assert.is(hint(none), undefined, none);
});

test('condenses hostile bodies to a line', () => {
  for (const body of [
    '<script'.repeat(9_000),
    '<'.repeat(64_000),
    '{"error":'.repeat(6_000),
    `<title>${' '.repeat(60_000)}`,
  ]) {
    assert.ok(condense(body).length <= 503);
  }
});

test('ends a call that is silent, late, or never connected, and says which', () => {
  const clock = handClock();
  const said: string[] = [];
  const limits = { timeoutMs: 1_000, idleTimeoutMs: 100, connectTimeoutMs: 50 };
  const deadlines = startDeadlines(clock, limits, (what) => said.push(what));
  clock.advance(200);
  assert.equal(said, [], 'silence before the first byte is no idleness');
  deadlines.touch();
  clock.advance(60);
  deadlines.touch();
  clock.advance(60);
  assert.equal(said, [], 'every read starts the wait anew');
  clock.advance(50);
  assert.match(said.join(), /^nothing arrived for 100 ms/);
  clock.advance(1_000);
  assert.match(said[1] ?? '', /^no complete answer within 1000 ms/);

  const stopped = startDeadlines(clock, limits, (what) => said.push(what));
  stopped.touch();
  stopped.stop();
  clock.advance(5_000);
  assert.is(said.length, 2);
});

test('gives up on a server that never completes the TLS handshake', async () => {
  const mute = createTcpServer(() => {});
  await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
  const { port } = mute.address() as AddressInfo;
  const http = createProviderHttp({ ...defaults, baseUrl: `https://127.0.0.1:${port}`, connectTimeoutMs: 100 });
  const error = await within(4_000, rejection(http.getJson('/models', { signal, timeoutMs: 3_000 })));
  assert.match(error.message, 'no connection within 100 ms');
  assert.is(error.retryable, true);
  http.close();
  mute.close();
});

test('appends paths to the base address and keeps its query', async () => {
  const server = await startByteServer((response) => response.end('{"ok":true}'));
  const http = createProviderHttp({ ...defaults, baseUrl: `${server.url}/deep/?api-version=2` });
  assert.equal(await within(3_000, http.getJson('/models', { signal, timeoutMs: 2_000 })), { ok: true });
  assert.is(server.requests[0]?.path, '/v1/deep/models?api-version=2');
  http.close();
  await server.close();
});

test('refuses a base address that is none', () => {
  for (const baseUrl of ['', 'host/v1', 'ftp://host', 'file:///etc/passwd'])
    assert.throws(() => createProviderHttp({ ...defaults, baseUrl }), /baseUrl must be/);
});

test('ends with what the reader threw, and reads nothing after it', async () => {
  const server = await startByteServer((response) => {
    response.write('data: 1\n\n');
    setTimeout(() => response.end('data: 2\n\n'), 30);
  });
  const http = createProviderHttp({ ...defaults, baseUrl: server.url });
  const seen: string[] = [];
  const reader = {
    onEvent(data: string): boolean {
      seen.push(data);
      throw new Error('not mine');
    },
    onDocument: () => {},
  };
  const error = await within(3_000, rejection(http.postForEvents('/x', {}, { ...reader, signal })));
  assert.is(error.message, 'not mine');
  await new Promise((resolve) => setTimeout(resolve, 60));
  assert.equal(seen, ['1']);
  http.close();
  await server.close();
});

test('lists the chat models of an answer, in its order, once each', () => {
  assert.equal(
    listedModels({
      data: [
        { id: 'b', context_length: 1000 },
        { id: 'text-embedding-3' },
        { id: 'a', display_name: 'A' },
        { id: 'b' },
        { nonsense: 1 },
        null,
      ],
    }),
    [{ id: 'b' }, { id: 'a', label: 'A' }],
  );
  assert.equal(listedModels([{ name: 'bare', max_model_len: 7 }]), [{ id: 'bare', contextWindow: 7 }]);
  for (const junk of [null, 7, 'x', {}, { data: 'x' }]) assert.equal(listedModels(junk), []);
});

test('names the model of the options first, and each id once', () => {
  assert.equal(configuredModels({ model: 'a', label: 'A', models: ['b', { id: 'c' }, 'b'] }), [
    { id: 'a', label: 'A' },
    { id: 'b' },
    { id: 'c' },
  ]);
  assert.equal(configuredModels({ model: 'b', models: ['a', { id: 'b', contextWindow: 5 }] }), [
    { id: 'a' },
    { id: 'b', contextWindow: 5 },
  ]);
});

test.run();

function handClock(): Clock & { advance(ms: number): void } {
  let time = 0;
  let timers: { at: number; fn: () => void }[] = [];
  return {
    now: () => time,
    monotonic: () => time,
    after(ms, fn) {
      const timer = { at: time + ms, fn };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    advance(ms) {
      const end = time + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
        if (next === undefined) break;
        timers = timers.filter((each) => each !== next);
        time = next.at;
        next.fn();
      }
      time = end;
    },
  };
}
