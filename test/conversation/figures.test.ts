import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { only, type TestSession, watch, withApp } from '../helpers/with-app.ts';

const test = suite('Figures of long conversations (CONVERSATION_FIGURES=1 prints them)');
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const isWanted = process.env.CONVERSATION_FIGURES !== undefined;
const megabytes = isWanted ? 50 : 5;
const print = (text: string) => void (isWanted && console.log(text));
const note = { name: 'note', description: 'Notes.', parameters: { type: 'object' }, execute: () => 'noted' };

function fileStore() {
  const directory = join(tempDirectory('figures'), 'data');
  return createFileStore({ directory, durability: 'full', clock: systemClock, log: silent });
}

async function send(session: TestSession, content: string) {
  await session.send(content);
  await session.stream.until('run.finished', { ms: 60_000 });
}

test('a transcript of many megabytes is saved without stalling the loop', async () => {
  const chunk = 'x'.repeat(95_000);
  const model = scriptedModel(Array.from({ length: megabytes * 6 }, () => ({ content: 'ok' })));
  const settings = { agent: { compaction: { enabled: false } }, plugins: { directories: [] } };
  // What the model was asked must not be kept, it would be most of the memory.
  model.complete = async () => ({ content: chunk, toolCalls: [], finishReason: 'stop' });
  await withApp(
    { store: fileStore(), models: [model], settings },
    async (app) => {
      const { id } = await app.newSession();
      globalThis.gc?.();
      const before = process.memoryUsage().heapUsed;
      const delay = monitorEventLoopDelay({ resolution: 5 });
      delay.enable();
      for (let sent = 0; sent < megabytes * 1e6; sent += 2 * chunk.length) {
        await app.call('POST', `/api/sessions/${id}/messages`, { status: 202, body: { content: chunk } });
        await app.app.runs.settled(id);
      }
      delay.disable();
      globalThis.gc?.();
      const grown = (process.memoryUsage().heapUsed - before) / 1e6;
      print(
        `${megabytes} MB transcript: heap +${grown.toFixed(0)} MB (with its events); loop late p99 ${(delay.percentile(99) / 1e6).toFixed(1)} ms, most ${(delay.max / 1e6).toFixed(1)} ms`,
      );
      assert.ok(grown < megabytes * 8 + 150, `${grown} MB`);
    },
    120_000,
  );
});

test('a tool round and a compaction cost little beside the model', async () => {
  const rounds = 200;
  const replies = Array.from({ length: rounds }, (_, n): Reply => ({ toolCalls: [callOf('note', {}, `c${n}`)] }));
  const model = scriptedModel([...replies, { content: 'done' }, { content: 'more' }, { content: 'SUMMARY' }]);
  const settings = {
    model: { maxSteps: rounds + 2 },
    agent: { compaction: { keepRecent: 1 } },
    plugins: { directories: [] },
  };
  await withApp({ store: fileStore(), models: [model], tools: [note], settings }, async (app) => {
    const session = await watch(app, (await app.newSession()).id);
    const started = performance.now();
    await send(session, 'go');
    print(`time added per tool round, durable: ${((performance.now() - started) / rounds).toFixed(2)} ms`);
    await send(session, 'and');
    const compacting = performance.now();
    await app.call('POST', `${session.path}/compact`, {});
    print(
      `compaction of ${2 * rounds + 2} messages without the model: ${(performance.now() - compacting).toFixed(1)} ms`,
    );
    const [compacted] = only(await session.until('context.compacted'), 'context.compacted');
    assert.is(compacted?.removedMessages, 2 * rounds + 2);
    await session.stream.close();
  });
});

test.run();
