import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rawRequest } from '../helpers/raw-http.ts';
import { eventually, within } from '../helpers/within.ts';
import { consoleFolder, start, type World } from './served-world.ts';

const packets = suite('The packets of an event stream, as they are on the connection');

let world: World;
let root: string;
packets.before.each(async () => {
  root = await consoleFolder();
  world = await start(root);
});
packets.after.each(async () => {
  await world.listening.close(0);
  await rm(root, { recursive: true });
});

const scope = { tenantId: 'default', sessionId: 's1' };
const say = (message: string) => world.app.events.publish(scope, { type: 'notice', level: 'info', message });
const host = 'Host: localhost\r\n';
const stream = `GET /api/sessions/s1/events HTTP/1.1\r\n${host}\r\n`;

/** The body that the chunks of an answer make up; fails when they are not whole. */
function unchunked(answer: string): string {
  const bytes = Buffer.from(answer);
  const body: Buffer[] = [];
  for (let at = bytes.indexOf('\r\n\r\n') + 4; ; ) {
    const end = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, end), 16);
    const chunk = bytes.subarray(end + 2, end + 2 + size);
    at = end + 2 + size + 2;
    assert.is(bytes.toString('latin1', at - 2, at), '\r\n', `a chunk of ${size} bytes is not whole`);
    if (size === 0) return Buffer.concat(body).toString();
    body.push(chunk);
  }
}
const words = (text: string) => [...text.matchAll(/"message":"([^"]*)"/g)].map(([, word]) => word);

packets('are whole chunks whatever the letters, and the last one is empty', async () => {
  const answer = rawRequest(world.listening.port, stream.replace(host, `${host}Connection: close\r\n`));
  await eventually(2_000, () => world.cursors.open === 1);
  for (const word of ['plain', 'zwölf', '日本語', '😀']) {
    say(word);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  world.app.events.close();
  assert.equal(words(unchunked(await answer)), ['plain', 'zwölf', '日本語', '😀']);
});

packets('are no chunks for a client of HTTP/1.0', async () => {
  const answer = rawRequest(world.listening.port, stream.replace('HTTP/1.1', 'HTTP/1.0'));
  await eventually(2_000, () => world.cursors.open === 1);
  say('one');
  await new Promise((resolve) => setTimeout(resolve, 5));
  say('two');
  await new Promise((resolve) => setTimeout(resolve, 5));
  world.app.events.close();
  const text = await answer;
  assert.match(text, /\r\n\r\nretry: 3000\n\nid: /);
  assert.equal(words(text), ['one', 'two']);
});

packets('come behind the answer that the connection owes first, and the next answer behind the stream', async () => {
  const slow = `POST /api/wait HTTP/1.1\r\n${host}Content-Length: 2\r\n\r\n{}`;
  const next = `GET /api/health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
  const answer = rawRequest(world.listening.port, slow + stream + next);
  await eventually(2_000, () => world.cursors.open === 1);
  say('early');
  await new Promise((resolve) => setTimeout(resolve, 80));
  say('late');
  await new Promise((resolve) => setTimeout(resolve, 20));
  world.app.events.forget(scope);
  const [, first = '', second = '', third = ''] = (await answer).split('HTTP/1.1 200 OK');
  assert.match(first, /"aborted":false/);
  assert.equal(words(unchunked(second)), ['early', 'late']);
  assert.match(third, /"status":"ok"/);
});

packets('are all there when a client that did not read for a while goes on', async () => {
  const client = connect(world.listening.port, '127.0.0.1');
  client.write(stream);
  client.pause();
  await eventually(2_000, () => world.cursors.open === 1);
  const count = 3_000;
  for (let at = 0; at < count; at++) {
    say(`${at} ${'x'.repeat(5_000)}`);
    if (at % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const taken = world.cursors.taken[0] ?? Number.NaN;
  assert.ok(taken < count * 5_000, `${taken} of ${count * 5_000} characters were taken`);
  let text = '';
  const whole = new Promise<void>((resolve) => {
    client.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.endsWith('\n0\r\n\r\n')) resolve();
    });
  });
  client.resume();
  world.app.events.close();
  await within(10_000, whole);
  const read = words(unchunked(text));
  assert.is(read.length, count);
  assert.ok(read.every((word, at) => word?.startsWith(`${at} `)));
  client.destroy();
});

packets.run();
