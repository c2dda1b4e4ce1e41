import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient, isApiError, type ServerEventEnvelope } from '../../lib/client/index.ts';
import type { SessionEvent } from '../../lib/wire/event.ts';
import { within } from '../helpers/within.ts';
import { frame, json, startFakeService, stream } from './fake-service.ts';

const test = suite('the client follows events over as many connections as it takes');
const path = 'GET /api/sessions/ses_1/events';
const notice = (message: string): SessionEvent => ({ type: 'notice', level: 'info', message });

async function take(events: AsyncIterable<ServerEventEnvelope>, count: number): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) if (seqs.push(seq) === count) break;
  return seqs;
}

test('a broken connection is opened again after the last event, without loss or repetition', async () => {
  const asked: (string | undefined)[] = [];
  const service = await startFakeService({
    [path]: stream((response, { headers }) => {
      const after = headers['last-event-id']?.toString();
      asked.push(after);
      const next = Number(after ?? 10) + 1;
      response.write(frame(next, notice('a')));
      if (next < 13) setTimeout(() => response.destroy(), 5);
    }),
  });
  const events = createClient(service).events({ sessionId: 'ses_1' });
  assert.equal(await within(5_000, take(events, 3)), [11, 12, 13]);
  assert.equal(asked, [undefined, '11', '12']);
  await service.close();
});

test('`after` asks for what the service still has', async () => {
  const service = await startFakeService({
    'GET /api/events': stream((response) => response.write(frame(1, notice('a')))),
  });
  assert.equal(await within(5_000, take(createClient(service).events({ after: 0 }), 1)), [1]);
  assert.is(service.seen[0]?.headers['last-event-id'], '0');
  await service.close();
});

test('an ended stream and a 503 are tried again', async () => {
  let times = 0;
  const service = await startFakeService({
    [path]: (response, seen) => {
      if (++times === 1) return stream((open) => open.end())(response, seen);
      if (times === 2) return json(503, { error: { code: 'draining', message: 'later' } })(response, seen);
      return stream((open) => open.write(frame(5, notice('a'))))(response, seen);
    },
  });
  assert.equal(await within(5_000, take(createClient(service).events({ sessionId: 'ses_1' }), 1)), [5]);
  assert.is(times, 3);
  await service.close();
});

test('silence ends a connection, a ping keeps it', async () => {
  let times = 0;
  const pings: NodeJS.Timeout[] = [];
  const service = await startFakeService({
    [path]: stream((response) => {
      if (++times === 1) return;
      pings.push(setInterval(() => response.write(': ping\n\n'), 20));
      setTimeout(() => response.write(frame(9, notice('a'))), 300);
    }),
  });
  const events = createClient(service).events({ sessionId: 'ses_1', silenceMs: 150 });
  assert.equal(await within(5_000, take(events, 1)), [9]);
  assert.is(times, 2);
  for (const ping of pings) clearInterval(ping);
  await service.close();
});

test('a gap is handed on', async () => {
  const gap: SessionEvent = { type: 'stream.gap', sessionId: 'ses_1', reason: 'restarted', resumedFrom: 40 };
  const service = await startFakeService({ [path]: stream((response) => response.write(frame(40, gap))) });
  for await (const { event } of createClient(service).events({ sessionId: 'ses_1', after: 3 })) {
    assert.equal(event, gap);
    break;
  }
  await service.close();
});

for (const status of [401, 404])
  test(`${status} stops it`, async () => {
    const service = await startFakeService({ '*': json(status, { error: { code: 'no', message: 'No.' } }) });
    const error = await within(
      5_000,
      take(createClient(service).events(), 1).catch((reason: unknown) => reason),
    );
    assert.ok(isApiError(error) && error.status === status);
    assert.is(service.seen.length, 1);
    await service.close();
  });

test('an abort ends the loop at any moment', async () => {
  const service = await startFakeService({ [path]: stream((response) => response.write(frame(1, notice('a')))) });
  for (const moment of ['before', 'while open', 'while waiting to reconnect']) {
    const abort = new AbortController();
    if (moment === 'before') abort.abort();
    const target = moment.startsWith('while waiting') ? { baseUrl: 'http://127.0.0.1:9' } : service;
    const events = createClient(target).events({ sessionId: 'ses_1', signal: abort.signal });
    setTimeout(() => abort.abort(), 50);
    const seqs = await within(5_000, take(events, 99), moment);
    assert.equal(seqs, moment === 'while open' ? [1] : [], moment);
  }
  await service.close();
});

test('the loop ends when the followed session is deleted', async () => {
  const service = await startFakeService({
    [path]: stream((response) => response.write(frame(3, { type: 'session.deleted', sessionId: 'ses_1' }))),
  });
  assert.equal(await within(5_000, take(createClient(service).events({ sessionId: 'ses_1' }), 99)), [3]);
  await service.close();
});

test('leaving the loop closes the connection', async () => {
  let closed = () => {};
  const gone = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const service = await startFakeService({
    [path]: stream((response) => {
      response.on('close', closed);
      response.write(frame(1, notice('a')));
    }),
  });
  await take(createClient(service).events({ sessionId: 'ses_1' }), 1);
  await within(5_000, gone, 'the close of the connection');
  await service.close();
});

test('plugin events come as the service sends them', async () => {
  const ready = { type: 'ready', enabled: false, plugins: [] };
  const service = await startFakeService({
    'GET /api/plugins/events': stream((response) => response.write(`data: ${JSON.stringify(ready)}\n\n`)),
  });
  for await (const event of createClient(service).pluginEvents()) {
    assert.equal(event, ready);
    break;
  }
  await service.close();
});

test.run();
