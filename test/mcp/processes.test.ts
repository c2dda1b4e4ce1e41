import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { running } from '../core-tools/running-processes.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { startService } from '../helpers/running-service.ts';
import { eventually } from '../helpers/within.ts';
import { oddServer, packaged, type ShownServer, withBridge } from './bridge-bench.ts';

const test = suite('The processes of MCP servers live as long as the service, and no longer');

/** The process ids that a server wrote down, one for each start. */
function starts(notes: string[]): number[] {
  return notes.flatMap((line) => /^started (\d+)/.exec(line)?.[1] ?? []).map(Number);
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}

test('after many reconnects there is one process', async () => {
  const rounds = Number(process.env.MCP_RECONNECTS ?? 10);
  const odd = oddServer(['echo']);
  const clock = createFakeClock();
  await withBridge(
    { odd: odd.definition },
    async ({ server }) => {
      for (let round = 1; round <= rounds; round++) {
        process.kill((await server('odd')).pid ?? 0, 'SIGKILL');
        await eventually(5_000, async () => (await server('odd')).state === 'waiting', 'the loss');
        clock.advance(60_000);
        await eventually(5_000, async () => (await server('odd')).state === 'connected', 'the connection');
      }
      assert.is((await server('odd')).reconnects, rounds);
      const alive = starts(odd.notes()).filter(isAlive);
      assert.is(alive.length, 1);
      console.log(`figures: ${alive.length} process after ${rounds} reconnects`);
    },
    { clock, ms: 20_000 + rounds * 500 },
  );
  assert.equal(starts(odd.notes()).filter(isAlive), []);
});

test('the pauses between attempts grow to a minute', async () => {
  const odd = oddServer([], 'die');
  const clock = createFakeClock();
  await withBridge(
    { odd: odd.definition },
    async ({ server }) => {
      for (const [n, pause] of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
        await eventually(5_000, async () => (await server('odd')).state === 'waiting');
        assert.is(starts(odd.notes()).length, n + 1);
        clock.advance(pause - 1);
        assert.is((await server('odd')).state, 'waiting');
        clock.advance(1);
        await eventually(5_000, () => starts(odd.notes()).length === n + 2, `attempt ${n + 2}`);
      }
    },
    { clock },
  );
});

test('none survives a kill -9 of the service', async () => {
  const odd = oddServer(['start']);
  const seconds = `392.${process.pid}`;
  // A server that does not look at its input, and one that started something in a session of its own.
  const deaf = { command: '/bin/sh', args: ['-c', `sleep ${seconds}; true`] };
  const servers = { odd: odd.definition, deaf, all: packaged('everything') };
  const settings = { plugins: { directories: [], config: { 'mcp-bridge': { servers } } } };
  const service = await startService({ settings });
  const all = (await (await service.fetch('/api/mcp')).json()) as { servers: ShownServer[] };
  const pids: number[] = [...starts(odd.notes()), all.servers[2]?.pid ?? 0];
  assert.is(running(`sleep ${seconds}`), 1);
  await service.kill();
  const started = performance.now();
  await eventually(5_000, () => pids.every((pid) => !isAlive(pid)), 'the end of the servers');
  console.log(`figures: servers ended ${Math.round(performance.now() - started)} ms after kill -9 of the service`);

  // What a server started is not bound to the service by the kernel; the next start ends it.
  const again = await service.restart({
    settings: { plugins: { directories: [], config: { 'mcp-bridge': { servers: { odd: odd.definition } } } } },
  });
  await eventually(8_000, () => running(`sleep ${seconds}`) === 0, 'the end of what they had started');
  assert.is(await again.stop(), 0);
  assert.equal(starts(odd.notes()).filter(isAlive), []);
});

test('what the bridge adds to a call', () =>
  withBridge({ all: packaged('everything') }, async ({ app, session }) => {
    const tool = app.app.tools.get('mcp__all__echo');
    const view = await app.detail(session.id);
    const context = {
      session: { ...view, tenantId: 'default', rootId: session.id },
      callId: 'call_1',
      workspace: await app.app.workspaces.open(app.workspace),
      signal: new AbortController().signal,
      approved: false,
      notify() {},
    };
    const times: number[] = [];
    for (let n = 0; n < 300; n++) {
      const began = performance.now();
      await tool?.execute({ message: `${n}` }, context);
      times.push(performance.now() - began);
    }
    const sorted = times.slice(50).sort((a, b) => a - b);
    assert.is(sorted.length, 250);
    console.log(
      `figures: a bridged call takes ${sorted[125]?.toFixed(2)} ms (median), ${sorted[247]?.toFixed(2)} ms (p99), the server included`,
    );
  }));

test.run();
