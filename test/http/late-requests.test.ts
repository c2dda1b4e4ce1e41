import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answerBrokenRequest } from '../../host/broken-request.ts';
import { createFakeClock, type FakeClock } from '../helpers/fake-clock.ts';
import { rawRequest } from '../helpers/raw-http.ts';
import { eventually, within } from '../helpers/within.ts';
import { codeOf, consoleFolder, start } from './served-world.ts';

const late = suite('A request that does not arrive in time is 408 in the envelope');

let root: string;
const host = 'Host: localhost\r\n';
late.before(async () => {
  root = await consoleFolder();
});
late.after(() => rm(root, { recursive: true }));

late('a body, and its connection ends', async () => {
  const clock = createFakeClock();
  const slow = await start(root, 'none', clock);
  const head = `POST /api/sessions HTTP/1.1\r\n${host}`;
  for (const part of ['Content-Length: 20\r\n\r\n{"title"', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"tit\r\n']) {
    const answer = rawRequest(slow.listening.port, `${head}Origin: http://localhost:3000\r\n${part}`);
    // The body's timer, and the one that looks whether the store is in doubt.
    await eventually(5_000, () => clock.pending === 2);
    clock.advance(59_999);
    assert.is(clock.pending, 2, 'the body is still waited for');
    clock.advance(1);
    // The rest of it is read once more before the connection ends, so that a client that is only slow reads why.
    const text = await passingTime(clock, answer);
    assert.is(codeOf(text), '408 request_timeout');
    assert.match(text, /\r\naccess-control-allow-origin: /i);
    assert.match(text, /\r\nx-request-id: /i);
    assert.match(text, /\r\nconnection: close\r\n/i);
  }
  await slow.listening.close(0);
});

late('a body that is there in time leaves no timer behind', async () => {
  const clock = createFakeClock();
  const quick = await start(root, 'none', clock);
  const response = await fetch(`${quick.url}/api/sessions`, { method: 'POST', body: '{}' });
  assert.equal([response.status, clock.pending], [201, 0]);
  await quick.listening.close(0);
});

late('a body that nobody waits for is answered, and its connection is not kept for it', async () => {
  const clock = createFakeClock();
  const slow = await start(root, 'none', clock);
  const answer = rawRequest(slow.listening.port, `GET /api/health HTTP/1.1\r\n${host}Content-Length: 9\r\n\r\n{`);
  assert.match(await passingTime(clock, answer), /^HTTP\/1\.1 200 [\s\S]*"ok"\}$/);
  await slow.listening.close(0);
});

late('its headers', async () => {
  const tooLate = Object.assign(new Error('too late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  const server = createServer((socket) => answerBrokenRequest(tooLate, socket)).listen(0, '127.0.0.1');
  await within(5_000, once(server, 'listening'));
  const { port } = server.address() as AddressInfo;
  const answer = await rawRequest(port, `GET / HTTP/1.1\r\n${host}`);
  assert.ok(answer.startsWith('HTTP/1.1 408 Request Timeout\r\n'));
  assert.is(codeOf(answer), '408 request_timeout');
  server.close();
});
late.run();

/** What it resolves with, while the time of the service goes on: the rest of a request is read once more before its end. */
async function passingTime(clock: FakeClock, answer: Promise<string>): Promise<string> {
  let ended = false;
  void answer.finally(() => {
    ended = true;
  });
  await eventually(5_000, () => {
    clock.advance(1_000);
    return ended;
  });
  return answer;
}
