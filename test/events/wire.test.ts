// The stream format, byte for byte, from the real service over a bare socket.
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import { rawRequest } from '../helpers/raw-http.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { within } from '../helpers/within.ts';

const test = suite('Both event streams, as bytes');

let service: RunningService;
let sessionId: string;
let other: string;

test.before(async () => {
  service = await startService();
  for (const title of ['One', 'Two']) {
    const { session } = await service.client.createSession({ title });
    await within(15_000, service.client.sendAndWait(session.id, `say ${title}`));
    [sessionId, other] = title === 'One' ? [session.id, ''] : [sessionId, session.id];
  }
});
test.after(() => service.kill());

interface Heard {
  head: string;
  body: string;
  envelopes: ServerEventEnvelope[];
}

/** Reads what is buffered: the answer up to the text given, without the chunk sizes of HTTP/1.1. */
async function listen(target: string, { headers = '', until }: { headers?: string; until: string }): Promise<Heard> {
  const port = Number(new URL(service.url).port);
  const answer = await rawRequest(port, `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}\r\n`, until);
  const end = answer.indexOf('\r\n\r\n');
  const body = answer.slice(end + 4).replace(/(?:^|\r\n)[0-9a-f]+\r\n|\r\n$/g, '');
  const envelopes = [...body.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data));
  return { head: answer.slice(0, end), body, envelopes };
}

const seqs = ({ envelopes }: Heard) => envelopes.map(({ seq }) => seq);

/** The last frame of a stream ends with this. */
const finished = (id: string) => `"type":"run.finished","sessionId":"${id}"`;

test('the headers of the contract, then retry, then frames of an id line and one data line', async () => {
  const heard = await listen(`/api/sessions/${sessionId}/events?lastEventId=0`, { until: finished(sessionId) });
  assert.match(heard.head, /^HTTP\/1\.1 200 OK\r\n/);
  for (const line of [
    'content-type: text/event-stream',
    'cache-control: no-cache, no-transform',
    'x-accel-buffering: no',
  ])
    assert.ok(heard.head.toLowerCase().split('\r\n').includes(line), line);
  assert.ok(heard.body.startsWith('retry: 3000\n\n'));
  const frames = heard.body.slice('retry: 3000\n\n'.length).split('\n\n').slice(0, -1);
  assert.ok(frames.length > 5);
  for (const frame of frames) {
    const [, id = '', data = ''] = /^id: (\d+)\ndata: (\{.*\})$/.exec(frame) ?? assert.unreachable(frame) ?? [];
    const { seq, at, event, ...more } = JSON.parse(data);
    assert.equal([String(seq), more], [id, {}]);
    assert.is(new Date(at).toISOString(), at);
    assert.is(event.sessionId, sessionId);
  }
  assert.not.match(heard.body, /^event:/m);
});

test('/api/events carries every session, with rising seq', async () => {
  const heard = await listen('/api/events?lastEventId=0', { until: finished(other) });
  const ids = new Set(heard.envelopes.map(({ event }) => ('sessionId' in event ? event.sessionId : undefined)));
  assert.equal([...ids], [sessionId, other]);
  assert.equal(
    seqs(heard),
    [...seqs(heard)].sort((a, b) => a - b),
  );
  assert.is(new Set(seqs(heard)).size, heard.envelopes.length);
});

test('Last-Event-ID or ?lastEventId= replays what is greater; the header wins; nonsense is ignored', async () => {
  const target = `/api/sessions/${sessionId}/events`;
  const all = await listen(`${target}?lastEventId=0`, { until: finished(sessionId) });
  const third = seqs(all)[2] ?? 0;
  const rest = seqs(all).slice(3);
  assert.equal(seqs(await listen(`${target}?lastEventId=${third}`, { until: finished(sessionId) })), rest);
  const headers = `Last-Event-ID: ${third}\r\n`;
  assert.equal(seqs(await listen(target, { headers, until: finished(sessionId) })), rest);
  assert.equal(seqs(await listen(`${target}?lastEventId=0`, { headers, until: finished(sessionId) })), rest);
  for (const query of ['', '?lastEventId=-1', '?lastEventId=x', `?lastEventId=${Number.MAX_SAFE_INTEGER}`])
    assert.is((await listen(target + query, { until: 'retry: 3000\n\n' })).body, 'retry: 3000\n\n', query);
});

test('after a restart seq goes on above, and an id of the earlier process is answered with a gap first', async () => {
  const before = await listen('/api/events?lastEventId=0', { until: finished(other) });
  const last = seqs(before).at(-1) ?? 0;
  await service.kill();
  service = await service.restart();
  await within(15_000, service.client.sendAndWait(sessionId, 'say again'));
  const target = `/api/sessions/${sessionId}/events`;
  const fresh = await listen(`${target}?lastEventId=0`, { until: finished(sessionId) });
  assert.ok((seqs(fresh)[0] ?? 0) > last);
  assert.not.ok(
    fresh.envelopes.some(({ event }) => event.type === 'stream.gap'),
    '0 asks for what there is',
  );

  const resumed = await listen(target, { headers: `Last-Event-ID: ${last}\r\n`, until: finished(sessionId) });
  const [gap, ...rest] = resumed.envelopes;
  assert.equal(gap?.event, { type: 'stream.gap', sessionId, reason: 'restarted', resumedFrom: gap?.seq });
  assert.is(gap?.seq, (rest[0]?.seq ?? 0) - 1);
  assert.equal(
    rest.map(({ seq }) => seq),
    seqs(fresh),
  );
});

test.run();
