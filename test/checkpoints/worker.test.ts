import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('A checkpoint worker that breaks fails its operation with a reason and harms nothing else');

const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'no error',
    (error: Error) => error.message,
  );

/** A worker that hangs or dies as the label of its first request says, then hands over to the real one. */
function brokenWorker(script: string): URL {
  const path = join(tempDirectory('worker'), 'broken.mjs');
  writeFileSync(path, `import { parentPort } from 'node:worker_threads';\n${script}\n`);
  return pathToFileURL(path);
}

test('a worker that hangs is given up after its time; the next operation gets a new one', async () => {
  const script = `parentPort.on('message', ({ id, argument }) => {
    if (argument[0].label === 'hang') for (;;);
    parentPort.postMessage({ id, type: 'done', value: argument });
  });`;
  const { checkpointer, session, logged } = openCheckpointer({ workerUrl: brokenWorker(script), silenceMs: 1_500 });
  const hanging = reasonOf(checkpointer.capture(session, 'hang'));
  // Of another workspace: a capture of the same one would be taken by the same walk.
  const next = checkpointer.capture({ ...session, tenantId: 'acme' }, 'fine');
  assert.match(await within(10_000, hanging), 'without progress');
  assert.is((await within(10_000, next)).label, 'fine');
  assert.match(logged.join(), 'without progress');
  await checkpointer.close();
});

test('an operation that reports progress may take longer than the silence allows', async () => {
  const script = `parentPort.on('message', ({ id, argument }) => {
    let left = 5;
    const timer = setInterval(() => {
      if (left-- > 0) return parentPort.postMessage({ id, type: 'progress' });
      clearInterval(timer);
      parentPort.postMessage({ id, type: 'done', value: argument });
    }, 400);
  });`;
  const { checkpointer, session } = openCheckpointer({ workerUrl: brokenWorker(script), silenceMs: 1_200 });
  assert.is((await within(10_000, checkpointer.capture(session, 'x'))).label, 'x');
  await checkpointer.close();
});

for (const [how, script, said] of [
  ['exits', 'process.exit(3)', 'ended in the middle'],
  ['throws', 'throw new Error("broken")', 'crashed'],
  ['runs out of memory', 'const all = []; for (;;) all.push(new Array(1e4).fill({}))', 'crashed'],
] as const)
  test(`a worker that ${how} fails its operation with a reason, and the host lives on`, async () => {
    const body = `parentPort.on('message', ({ id, argument }) => {
      if (argument[0].label === 'die') { ${script} }
      parentPort.postMessage({ id, type: 'done', value: argument });
    });`;
    const { checkpointer, session, logged } = openCheckpointer({ workerUrl: brokenWorker(body), maxFiles: 1 });
    assert.match(await within(60_000, reasonOf(checkpointer.capture(session, 'die'))), said);
    assert.is((await within(10_000, checkpointer.capture(session, 'live'))).label, 'live');
    assert.not.match(await reasonOf(checkpointer.capture(session, 'die')), /at .*\.mjs/);
    assert.ok(logged.length > 0);
    await checkpointer.close();
  });

test('a missing worker file is a reason, not a crash', async () => {
  const { checkpointer, session } = openCheckpointer({ workerUrl: pathToFileURL('/nonexistent/worker.js') });
  assert.match(await within(5_000, reasonOf(checkpointer.capture(session, 'x'))), 'crashed');
  await checkpointer.close();
});

test.run();
