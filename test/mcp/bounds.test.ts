import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openFirstUse } from '../../plugins/mcp-bridge/first-use.ts';
import { createHttpTransport } from '../../plugins/mcp-bridge/http-transport.ts';
import { createLineReader } from '../../plugins/mcp-bridge/lines.ts';
import { eventually } from '../helpers/within.ts';
import { withBridge } from './bridge-bench.ts';

const test = suite('What a server sends is bounded, what a tenant used is remembered');

for (const type of ['application/json', 'text/event-stream'])
  test(`an answer without end over HTTP (${type}) ends the call, not the service`, async () => {
    let sent = 0;
    const server = createServer(async (request, response) => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      for await (const chunk of request) body += chunk;
      const { id, method, params } = JSON.parse(body);
      const json = (result: object) =>
        response
          .writeHead(200, { 'content-type': 'application/json' })
          .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      if (id === undefined) return void response.writeHead(202).end();
      if (method === 'initialize')
        return void json({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'endless', version: '1' },
        });
      if (method === 'tools/list') return void json({ tools: [{ name: 'flood', inputSchema: { type: 'object' } }] });
      if (method !== 'tools/call') return void json({});
      response.writeHead(200, { 'content-type': type }).write(type.includes('event') ? 'data: {"a":"' : '{"a":"');
      const chunk = 'x'.repeat(1024 * 1024);
      while (!response.destroyed && sent < 400 * chunk.length) {
        sent += chunk.length;
        if (!response.write(chunk)) await Promise.race([once(response, 'drain'), once(response, 'close')]);
      }
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    try {
      await withBridge({ endless: { url, approval: 'auto', timeoutMs: 3_000 } }, async ({ call }) => {
        assert.is((await call('mcp__endless__flood')).ok, false);
        assert.ok(sent < 100 * 1024 * 1024, `${sent} bytes were taken`);
      });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

test('lines come whole however they are cut; one that is too long is reported once and dropped', () => {
  const lines: string[] = [];
  let tooLong = 0;
  const read = createLineReader(8, { line: (text) => lines.push(text), tooLong: () => tooLong++ });
  for (const part of ['a', 'b\r\nc', 'd\n\n', '0123456', '789', '0123\nfine\n', 'last']) read(Buffer.from(part));
  assert.equal(lines, ['ab', 'cd', 'fine']);
  assert.is(tooLong, 1);
});

test('a stream that the server ends, and wants back at once, is opened again at its own pace', async () => {
  let opened = 0;
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      opened += 1;
      return void response.writeHead(200, { 'content-type': 'text/event-stream' }).end('retry: 0\nid: 1\ndata:\n\n');
    }
    let body = '';
    for await (const chunk of request) body += chunk;
    const { id, params } = JSON.parse(body);
    if (id === undefined) return void response.writeHead(202).end();
    const result = {
      protocolVersion: params.protocolVersion,
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const transport = await createHttpTransport(
    new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    {},
  );
  const client = new Client({ name: 'test', version: '1' });
  try {
    await client.connect(transport as Transport);
    await eventually(5_000, () => opened > 0, 'a stream');
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.ok(opened < 10, `${opened} streams`);
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
});

test('what a tenant used is known after a restart, and is that tenant’s alone', async () => {
  const stored = new Map<string, string>();
  const state = {
    read: async (key: string) => stored.get(key),
    write: async (key: string, value: string) => void stored.set(key, value),
  };
  const log = { debug() {}, info() {}, warn() {}, error() {}, child: () => log };
  const before = await openFirstUse(state, 'odd', log);
  const tool = { name: 'echo', fingerprint: 'one' };
  assert.is(before.hasChanged('a', tool), false);
  before.accept('a', tool);
  await eventually(1_000, () => stored.size === 1);
  const after = await openFirstUse(state, 'odd', log);
  const changed = { name: 'echo', fingerprint: 'two' };
  assert.equal([after.hasChanged('a', tool), after.hasChanged('a', changed)], [false, true]);
  assert.is(after.hasChanged('b', changed), false, 'who never used it has nothing to compare');
  after.accept('a', changed);
  assert.equal([after.hasChanged('a', tool), after.hasChanged('a', changed)], [true, false]);
});

test.run();
