import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pixel } from '../helpers/pixel.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { eventually, within } from '../helpers/within.ts';

const test = suite(
  'With 256 open files allowed, a real load is carried: every request answered, every run ended, nothing lost',
);

const sessions = 24;
const rounds = 4;

interface Detail {
  status: string;
  messages: { role: string; images?: unknown[] }[];
}

test('ulimit -n 256: 100 connections that read, list, write and talk at the same time', async () => {
  if (spawnSync('prlimit', ['--version']).error) {
    console.log('SKIPPED prlimit is not installed');
    return;
  }
  const service = await startService({ under: ['prlimit', '--nofile=256:256'] });
  // Every connection the service accepts but a few is used.
  const agent = new Agent({ keepAlive: true, maxSockets: 110 });
  try {
    fillWorkspace(service.workspace);
    const ids: string[] = [];
    for (let at = 0; at < sessions; at++) ids.push((await service.client.createSession()).session.id);
    const first = ids[0] ?? '';
    const answers: Promise<number>[] = [];
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, readdirSync(`/proc/${service.pid}/fd`).length);
    }, 5);
    for (let round = 0; round < rounds; round++) {
      for (let at = 0; at < 150; at++) {
        answers.push(call(agent, service, `/api/sessions/${first}/file?path=large.txt`));
        answers.push(call(agent, service, `/api/sessions/${first}/files?path=links`));
      }
      const images = Array.from({ length: 6 }, () => ({ mimeType: 'image/png', data: pixel }));
      const body = JSON.stringify({ content: `write note-${round}.txt: round ${round}`, images });
      for (const id of ids) answers.push(call(agent, service, `/api/sessions/${id}/messages`, body));
      assert.equal(await within(30_000, tally(answers.splice(0)), 'the answers'), { 200: 300, 202: sessions });
      for (const id of ids)
        await eventually(20_000, async () => (await detail(service, id)).status !== 'running', 'the end of every run');
    }
    clearInterval(watch);
    assert.ok(most > 110, `at most ${most} descriptors: that was no load`);
    console.log(`FIGURE most descriptors open at once, of 256: ${most}`);
    await service.kill();
    const again = await service.restart({ under: [] });
    for (const id of ids) {
      const { status, messages } = await detail(again, id);
      assert.is(status, 'idle');
      const own = messages.filter(({ role }) => role === 'user');
      assert.equal([own.length, own.every(({ images }) => images?.length === 6)], [rounds, true]);
    }
    assert.is(service.output().includes('EMFILE'), false, service.output());
    assert.is(await again.stop(), 0);
  } catch (error) {
    await service.kill();
    throw error;
  } finally {
    agent.destroy();
  }
});

test.run();

/** A file that takes a moment to read, and a directory where each entry must be opened to be shown. */
function fillWorkspace(workspace: string): void {
  writeFileSync(join(workspace, 'large.txt'), 'x'.repeat(1_000_000));
  mkdirSync(join(workspace, 'links'));
  for (let at = 0; at < 64; at++) symlinkSync('../large.txt', join(workspace, 'links', `link-${at}`));
}

function call(agent: Agent, { url }: RunningService, path: string, body?: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { agent, method: body === undefined ? 'GET' : 'POST' }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

async function tally(answers: Promise<number>[]): Promise<Record<number, number>> {
  const counts: Record<number, number> = {};
  for (const status of await Promise.all(answers)) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function detail({ client }: RunningService, id: string): Promise<Detail> {
  return (await client.readSession(id)).session;
}
