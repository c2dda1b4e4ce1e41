import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connectionLimit, fileSlots, openFileLimit, openFilesWarning } from '../../host/open-files.ts';
import { openEventStream } from '../helpers/event-stream.ts';
import { startService } from '../helpers/running-service.ts';
import { eventually } from '../helpers/within.ts';

const limits = suite('Connections never take the last descriptors');

limits('200 are kept for the service itself, or half of few', () => {
  assert.equal([20_000, 256, 100].map(connectionLimit), [19_800, 128, 50]);
  assert.equal([undefined, 20_000, 256, 100].map(fileSlots), [64, 64, 8, 4]);
  assert.equal(
    [connectionLimit(undefined), openFilesWarning(undefined), openFilesWarning(4_096)],
    [undefined, undefined, undefined],
  );
  assert.match(openFilesWarning(256) ?? '', /256 open files.*128 connections.*ulimit -n/);
  assert.is(openFileLimit('/no/such/file'), undefined);
});

limits.run();

const few = suite(
  'With few descriptors and many clients, what was accepted goes on and what comes later is served again',
);

few('ulimit -n 100 and 300 connections', async () => {
  if (spawnSync('prlimit', ['--version']).error) {
    console.log('SKIPPED prlimit is not installed');
    return;
  }
  const service = await startService({ under: ['prlimit', '--nofile=100:100'] });
  assert.match(service.output(), 'at most 50 connections');
  const created = await service.fetch('/api/sessions', { method: 'POST' });
  const { session } = (await created.json()) as { session: { id: string } };
  const stream = await openEventStream(`${service.url}/api/sessions/${session.id}/events`);
  const crowd = await Promise.all(Array.from({ length: 300 }, () => idleConnection(service.url)));
  assert.ok(crowd.filter((socket) => socket.destroyed || socket.readableEnded).length >= 250);

  // An agent with a connection of its own works on through the crowd's presence.
  const message = { method: 'POST', body: '{"content":"write crowd.txt: still here"}' };
  const free = crowd.findIndex((socket) => !socket.destroyed && !socket.readableEnded);
  crowd[free]?.destroy();
  await eventually(5_000, async () => {
    const answer = await service.fetch(`/api/sessions/${session.id}/messages`, message).catch(() => undefined);
    return answer?.status === 202;
  });
  await stream.until('run.finished');
  for (const socket of crowd) socket.destroy();
  await stream.close();
  await eventually(5_000, () =>
    service.fetch('/api/health').then(
      (answer) => answer.ok,
      () => false,
    ),
  );
  assert.is(await service.stop(), 0);
  const after = await service.restart({ under: [] });
  const { session: kept } = (await (await after.fetch(`/api/sessions/${session.id}`)).json()) as {
    session: { status: string; messages: unknown[] };
  };
  assert.is(kept.status, 'idle');
  assert.ok(kept.messages.length >= 2);
  assert.is(await after.stop(), 0);
});

few.run();

/** Open, or refused, which is told by its end. */
async function idleConnection(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  socket.resume();
  await Promise.race([once(socket, 'connect').catch(() => undefined), once(socket, 'close')]);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return socket;
}
