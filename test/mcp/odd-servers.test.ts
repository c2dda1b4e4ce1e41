import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../core-tools/running-processes.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { eventually, within } from '../helpers/within.ts';
import { oddServer, withBridge } from './bridge-bench.ts';

const test = suite('A server that misbehaves harms nobody');

test('it crashes in a call: the call fails, and the next one works', async () => {
  const odd = oddServer(['echo', 'crash']);
  await withBridge({ odd: odd.definition }, async ({ call, server }) => {
    const { pid } = await server('odd');
    const crashed = await call('mcp__odd__crash');
    assert.is(crashed.ok, false);
    assert.match(crashed.content, /ended during the call\. The process ended \(code 7\)/);
    assert.is((await call('mcp__odd__echo', { a: 1 })).content, '{"a":1}', 'the call waits for the new process');
    const after = await server('odd');
    assert.is(after.reconnects, 1);
    assert.is.not(after.pid, pid);
    assert.is(odd.notes().filter((line) => line === 'called crash').length, 1, 'no call is repeated');
  });
});

test('it answers that something of its own was closed: the call ends with that', async () => {
  const odd = oddServer(['echo', 'closed']);
  await withBridge({ odd: odd.definition }, async ({ call, server }) => {
    const closed = await within(5_000, call('mcp__odd__closed'), 'the result');
    assert.is(closed.ok, false);
    assert.match(closed.content, /Page closed/);
    assert.ok((await call('mcp__odd__echo')).ok);
    assert.is((await server('odd')).reconnects, 0);
  });
});

test('it never answers: the call ends at its time limit and the server is told', async () => {
  const odd = oddServer(['echo', 'hang']);
  await withBridge({ odd: { ...odd.definition, timeoutMs: 300 } }, async ({ call, server }) => {
    const hung = await call('mcp__odd__hang');
    assert.match(hung.content, /It did not answer within 300 ms/);
    await eventually(2_000, () => odd.notes().includes('cancelled'));
    assert.ok((await call('mcp__odd__echo')).ok);
    assert.is((await server('odd')).reconnects, 0, 'the server itself is fine');
  });
});

test('its process hangs altogether: it is replaced', async () => {
  const odd = oddServer(['echo', 'freeze']);
  await withBridge({ odd: { ...odd.definition, timeoutMs: 300 } }, async ({ call, server }) => {
    assert.is((await call('mcp__odd__freeze')).ok, false);
    await eventually(12_000, async () => (await server('odd')).reconnects === 1, 'a new process');
    assert.ok((await call('mcp__odd__echo')).ok);
  });
});

test('it writes something else to its output', async () => {
  const odd = oddServer(['garbage'], 'garbage-first');
  const noise = oddServer([], 'no-mcp');
  await withBridge({ odd: odd.definition, noise: noise.definition }, async ({ call, server }) => {
    assert.is((await call('mcp__odd__garbage')).content, 'after garbage');
    const expected = 'It writes text to its output that is no MCP message.';
    await eventually(5_000, async () => (await server('noise')).error?.startsWith(expected) === true, 'the error');
  });
});

test('it sends a message without end: the connection ends, the memory does not', async () => {
  const bytes = Number(process.env.MCP_HUGE_BYTES ?? 256 * 1024 * 1024);
  const odd = oddServer(['echo', 'huge']);
  await withBridge({ odd: odd.definition }, async ({ call }) => {
    const before = process.memoryUsage().rss;
    const huge = await call('mcp__odd__huge', { bytes });
    assert.match(huge.content, /over 20 MB/);
    assert.ok(process.memoryUsage().rss - before < 120 * 1024 * 1024, 'most of it was never kept');
    assert.ok((await call('mcp__odd__echo')).ok);
  });
});

test('it says without end that its tools have changed: they are listed once a second', async () => {
  const clock = createFakeClock();
  const odd = oddServer(['echo'], 'restless');
  const listed = () => odd.notes().filter((line) => line === 'listed').length;
  await withBridge(
    { odd: odd.definition },
    async ({ server }) => {
      // When it was connected, and because of its first word.
      for (const times of [2, 3, 4]) {
        await eventually(5_000, () => listed() === times, `listing ${times}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
        assert.is(listed(), times);
        clock.advance(1_000);
      }
      assert.equal((await server('odd')).tools, ['mcp__odd__echo']);
    },
    { clock },
  );
});

test('it hangs in its greeting: the service starts without it, and stops in time', async () => {
  const odd = oddServer([], 'hang-initialize');
  const fine = oddServer(['echo']);
  await withBridge({ odd: odd.definition, fine: fine.definition }, async ({ call, server }) => {
    assert.ok((await call('mcp__fine__echo')).ok);
    const { state, pid } = await server('odd');
    assert.equal([state, pid], ['connecting', undefined]);
  });
  const pid = /started (\d+)/.exec(odd.notes()[0] ?? '')?.[1];
  assert.throws(() => process.kill(Number(pid), 0), 'its process is gone');
});

test('it ends at once: the operator reads why', async () => {
  const odd = oddServer([], 'die');
  await withBridge({ odd: odd.definition }, async ({ server, app }) => {
    const { state, error } = await server('odd');
    assert.is(state, 'waiting');
    assert.is(error, 'The process ended (code 3). It has no licence.');
    assert.ok(app.lines.some((line) => line.includes('WARN') && line.includes('It has no licence.')));
  });
});

test('its program is not there: the operator reads which, not the last lines of a trace', async () => {
  await withBridge({ odd: { command: process.execPath, args: ['/nowhere/server.mjs'] } }, async ({ server }) => {
    const { error } = await server('odd');
    assert.is(error, "The process ended (code 1). Error: Cannot find module '/nowhere/server.mjs'");
  });
});

test('its directory is not there: the operator reads that, not which program was missed', async () => {
  const odd = oddServer(['echo']);
  await withBridge({ odd: { ...odd.definition, cwd: '/nowhere/at/all' } }, async ({ server }) => {
    const { state, error } = await server('odd');
    assert.equal([state, error], ['waiting', '"cwd" is not a directory (/nowhere/at/all).']);
  });
});

test('what it starts ends with it, wherever that went', async () => {
  const odd = oddServer(['start', 'crash']);
  const seconds = `391.${process.pid}`;
  await withBridge({ odd: odd.definition }, async ({ call }) => {
    assert.ok((await call('mcp__odd__start', { seconds })).ok);
    await eventually(2_000, () => running(`sleep ${seconds}`) === 1);
    await call('mcp__odd__crash');
    await eventually(6_000, () => running(`sleep ${seconds}`) === 0, 'the end of what the crashed server left');
    assert.ok((await call('mcp__odd__start', { seconds })).ok);
    await eventually(2_000, () => running(`sleep ${seconds}`) === 1);
  });
  assert.is(running(`sleep ${seconds}`), 0, 'and with the service');
});

test('its schema tries to hold the process', async () => {
  const odd = oddServer([]);
  const evil = {
    type: 'object',
    properties: { text: { type: 'string', pattern: '^(a+)+$' } },
    additionalProperties: false,
  };
  odd.offer({ name: 'evil', inputSchema: evil }, { name: 'echo' });
  await withBridge({ odd: odd.definition }, async ({ call }) => {
    const refused = await call('mcp__odd__evil', { text: `${'a'.repeat(40)}b` });
    assert.is(refused.ok, false);
    assert.match(refused.content, /could not be checked/);
    assert.ok((await call('mcp__odd__echo')).ok);
    assert.not.ok(odd.notes().includes('called evil'));
  });
});

test('its answer breaks the rules: images are dropped with a marker, deep data is left out, a second answer is ignored', async () => {
  const odd = oddServer(['images', 'deep', 'twice', 'fail']);
  await withBridge({ odd: odd.definition }, async ({ call, app, session }) => {
    const png = 'iVBORw0KGgo=';
    const images = [
      { mimeType: 'image/png', data: png },
      { mimeType: 'image/svg+xml', data: png },
      { mimeType: 'image/png', data: 'no base64!' },
    ];
    const shown = await call('mcp__odd__images', { images });
    assert.ok(shown.ok);
    assert.match(shown.content, /\[image dropped: type image\/svg\+xml .*\]\n\[image dropped: no valid base64\]/);
    const { messages = [] } = await app.detail(session.id);
    assert.equal(messages.filter(({ role }) => role === 'tool').at(-1)?.images, [{ mimeType: 'image/png', data: png }]);

    const deep = await call('mcp__odd__deep');
    assert.equal([deep.content, deep.data], ['deep', undefined]);
    assert.is((await call('mcp__odd__twice')).content, 'first');
    const failed = await call('mcp__odd__fail');
    assert.equal([failed.ok, failed.content], [false, 'It went wrong.']);
  });
});

test('its process gets six variables of the environment, and what is configured', async () => {
  process.env.OPENAI_API_KEY = 'sk-secret';
  const odd = oddServer(['environment']);
  await withBridge({ odd: { ...odd.definition, env: { EXTRA: 'yes' } } }, async ({ call }) => {
    const names = (await call('mcp__odd__environment')).content.split(' ');
    const allowed = ['EXTRA', 'HOME', 'LOGNAME', 'PATH', 'SERVICE_CHILD_MARKER', 'SHELL', 'TERM', 'USER'];
    assert.equal(
      names.filter((name) => !allowed.includes(name)),
      [],
    );
    assert.ok(names.includes('EXTRA'));
  });
});

test.run();
