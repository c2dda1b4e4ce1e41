import { existsSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callOf } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { only, watch } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { packaged, withBridge } from './bridge-bench.ts';
import { everythingOverHttp } from './http-server.ts';

const local = suite('Real MCP servers as local processes');

local('the reference server: text, structured content, images, links, errors', () =>
  withBridge({ all: packaged('everything') }, async ({ call, server, app, session }) => {
    const { state, tools } = await server('all');
    assert.is(state, 'connected', 'it is there when the service is');
    assert.ok(tools.includes('mcp__all__get-sum'));

    assert.is((await call('mcp__all__echo', { message: 'hi' })).content, 'Echo: hi');
    assert.match((await call('mcp__all__get-sum', { a: 2, b: 40 })).content, /42/);

    const wrong = await call('mcp__all__get-sum', { a: 'two', b: 40 });
    assert.is(wrong.ok, false);
    assert.match(wrong.content, /not valid: a: /, 'the arguments never reach the server');

    const structured = await call('mcp__all__get-structured-content', { location: 'Chicago' });
    assert.ok(structured.ok);
    assert.type((structured.data as Record<string, unknown>).temperature, 'number');

    const links = await call('mcp__all__get-resource-links', { count: 2 });
    assert.match(links.content, /\[resource .*demo:\/\//);

    await call('mcp__all__get-tiny-image');
    const { messages = [] } = await app.detail(session.id);
    const [image] = messages.filter(({ role }) => role === 'tool').at(-1)?.images ?? [];
    assert.is(image?.mimeType, 'image/png');
    assert.is(
      Buffer.from(image?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
      'PNG',
    );
  }),
);

local('progress becomes notices, and a cancelled run cancels the call', () =>
  withBridge({ all: packaged('everything') }, async ({ call, session, model, app }) => {
    model.add({ toolCalls: [callOf('mcp__all__trigger-long-running-operation', { duration: 2.4, steps: 2 })] });
    await session.send('go');
    const events = await session.until('run.finished');
    const notices = only(events, 'notice').map(({ message }) => message);
    assert.match(notices[0] ?? '', /long-running-operation: .*1 of 2/);
    assert.is(only(events, 'tool.finished')[0]?.result.ok, true);

    model.add({ toolCalls: [callOf('mcp__all__trigger-long-running-operation', { duration: 60, steps: 60 })] });
    await session.send('go');
    await session.until('tool.started');
    await app.call('POST', `${session.path}/cancel`, { body: {} });
    const [result] = only(await session.until('run.finished'), 'tool.finished');
    assert.is(result?.result.ok, false);
    assert.is((await call('mcp__all__echo', { message: 'still here' })).content, 'Echo: still here');
  }),
);

local('the filesystem server works on its own directory, the memory server keeps what it was told', async () => {
  const directory = realpathSync(tempDirectory('files'));
  writeFileSync(join(directory, 'a.txt'), 'some words');
  const memory = { ...packaged('memory'), env: { MEMORY_FILE_PATH: join(directory, 'memory.json') } };
  await withBridge({ files: packaged('filesystem', directory), memory }, async ({ call }) => {
    assert.match((await call('mcp__files__read_text_file', { path: join(directory, 'a.txt') })).content, /some words/);
    const outside = await call('mcp__files__read_text_file', { path: '/etc/hostname' });
    assert.is(outside.ok, false);
    assert.match(outside.content, /outside allowed directories/i);
    const entities = [{ name: 'Ada', entityType: 'person', observations: ['likes engines'] }];
    assert.ok((await call('mcp__memory__create_entities', { entities })).ok);
    assert.match((await call('mcp__memory__search_nodes', { query: 'engines' })).content, /Ada/);
  });
  assert.ok(existsSync(join(directory, 'memory.json')), 'the configured environment reached the server');
});

local('one process serves all sessions', () =>
  withBridge({ all: packaged('everything') }, async ({ app, model, server }) => {
    const { pid } = await server('all');
    for (let n = 0; n < 3; n++) {
      const other = await watch(app, (await app.newSession()).id);
      model.add({ toolCalls: [callOf('mcp__all__echo', { message: `${n}` })] });
      await other.send('go');
      assert.is(only(await other.until('run.finished'), 'tool.finished')[0]?.result.content, `Echo: ${n}`);
      await other.stream.close();
    }
    const after = await server('all');
    assert.equal([after.pid, after.reconnects], [pid, 0]);
  }),
);

const remote = suite('Real MCP servers over streamable HTTP');

remote('the reference server, with a header from the environment, through a restart', async () => {
  const http = await everythingOverHttp();
  process.env.BRIDGE_TEST_TOKEN = 'tok-123456789';
  const definition = {
    url: http.url,
    headers: { Authorization: `Bearer $${'{BRIDGE_TEST_TOKEN}'}` },
    approval: 'auto',
  };
  try {
    await withBridge({ web: definition }, async ({ call, server }) => {
      assert.is((await server('web')).state, 'connected');
      assert.is((await call('mcp__web__echo', { message: 'hi' })).content, 'Echo: hi');
      assert.equal([...new Set(http.authorizations())], ['Bearer tok-123456789'], 'on every request');

      await http.restart();
      // Whatever the loss is noticed by, the tools come back; no call is sent twice.
      await eventually(10_000, async () => (await call('mcp__web__echo', { message: 'back' })).ok, 'a call');
      assert.is((await server('web')).state, 'connected');
      assert.ok((await server('web')).reconnects >= 1);
    });
  } finally {
    delete process.env.BRIDGE_TEST_TOKEN;
    await http.close();
  }
});

remote('a server that is not there yet joins when it is', async () => {
  const http = await everythingOverHttp();
  await http.stop();
  await withBridge({ web: { url: http.url, approval: 'auto' } }, async ({ call, server }) => {
    const { state, error, tools } = await server('web');
    assert.is(state, 'waiting');
    assert.match(error ?? '', /^It answered with status 502\.$/);
    assert.equal(tools, []);
    await http.restart();
    await eventually(10_000, async () => (await server('web')).state === 'connected', 'the connection');
    assert.is((await call('mcp__web__echo', { message: 'hi' })).content, 'Echo: hi');
  });
  await http.close();
});

local.run();
remote.run();
