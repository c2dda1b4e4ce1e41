import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type EgressProxy, startEgressProxy } from '../../plugins/browser/egress-proxy.ts';
import { within } from '../helpers/within.ts';

interface Rig {
  proxy: EgressProxy;
  port: number;
  server: Server;
  /** The connections that arrived at the server. */
  arrived: Socket[];
  /** Resolves when an address is to be checked. */
  asked: Promise<void>;
  /** Lets a check that is `held` answer. */
  decide: () => void;
}

const test = suite<Rig>('The way out of a page stands whatever a server answers');

async function start(rig: Rig, { answer, held = false }: { answer: string; held?: boolean }): Promise<void> {
  rig.arrived = [];
  rig.server = createServer((socket) => {
    rig.arrived.push(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer, 'latin1'));
  });
  rig.server.listen(0, '127.0.0.1');
  await once(rig.server, 'listening');
  rig.port = (rig.server.address() as AddressInfo).port;
  let ask = (): void => undefined;
  rig.asked = new Promise((resolve) => (ask = resolve));
  const decided = held ? new Promise<void>((resolve) => (rig.decide = resolve)) : Promise.resolve();
  rig.proxy = await startEgressProxy({
    check: async () => {
      ask();
      await decided;
      return [{ address: '127.0.0.1', family: 4 }];
    },
    refused: () => undefined,
  });
}

test.after.each(({ proxy, server, arrived }) => {
  proxy.close();
  server.close();
  for (const socket of arrived) socket.destroy();
});

for (const [what, answer, expected] of [
  ['a control character in its status line', 'HTTP/1.1 200 O\x01K\r\ncontent-length: 2\r\n\r\nok', 200],
  ['a status that is none', 'HTTP/1.1 000 None\r\ncontent-length: 2\r\n\r\nok', 502],
  ['trailers where there can be none', 'HTTP/1.1 200 OK\r\ntrailer: x\r\ncontent-length: 2\r\n\r\nok', 502],
] as const)
  test(`${what} does not end the service`, async (rig) => {
    await start(rig, { answer });
    const [status] = await within(5_000, answerTo(rig.proxy, `GET http://page.test:${rig.port}/ HTTP/1.1`));
    assert.match(status ?? '', `HTTP/1.1 ${expected} `);
  });

test('a request that is given up before its address was checked reaches nobody', async (rig) => {
  await start(rig, { answer: '', held: true });
  const client = connect({ host: '127.0.0.1', port: rig.proxy.port });
  client.write(`GET http://page.test:${rig.port}/ HTTP/1.1\r\nhost: page.test\r\n\r\n`);
  await within(5_000, rig.asked);
  client.destroy();
  await new Promise((resolve) => setTimeout(resolve, 50));
  rig.decide();
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.is(rig.arrived.length, 0);
});

for (const [what, line] of [
  ['request', (port: number) => `GET http://page.test:${port}/`],
  ['tunnel', (port: number) => `CONNECT page.test:${port}`],
] as const)
  test(`a ${what} whose page is closed before its address was checked reaches nobody`, async (rig) => {
    await start(rig, { answer: '', held: true });
    const answered = answerTo(rig.proxy, `${line(rig.port)} HTTP/1.1`).catch(() => undefined);
    await within(5_000, rig.asked);
    rig.proxy.close();
    await within(5_000, answered);
    rig.decide();
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.is(rig.arrived.length, 0);
  });

test('what the browser would tell its maker about the forms of a page does not leave, and is no refusal of the page', async (rig) => {
  await start(rig, { answer: '' });
  let asked = false;
  void rig.asked.then(() => {
    asked = true;
  });
  const [status] = await within(5_000, answerTo(rig.proxy, 'CONNECT content-autofill.googleapis.com:443 HTTP/1.1'));
  assert.equal([status, asked, rig.arrived.length], ['HTTP/1.1 403 Forbidden', false, 0]);
});

/** The lines that the proxy answers. */
async function answerTo(proxy: EgressProxy, line: string): Promise<string[]> {
  const client = connect({ host: '127.0.0.1', port: proxy.port });
  client.write(`${line}\r\nhost: page.test\r\nconnection: close\r\n\r\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of client) chunks.push(chunk);
  return Buffer.concat(chunks).toString('latin1').split('\r\n');
}

test.run();
