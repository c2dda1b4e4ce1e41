import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { rejects } from '../store/session-store-contract.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite(
  'A worker that must end in the middle of its work is asked to, since terminating it can abort the process',
);

/** Some seconds of work, in steps of a few milliseconds. */
const files = 1_000;
const content = randomBytes(48 * 1024).toString('hex');
const endedByItself = 0;

function largeWorkspace(): string {
  const workspace = tempDirectory('large');
  for (let at = 0; at < files; at++) {
    const directory = join(workspace, `d${at % 40}`);
    if (at < 40) mkdirSync(directory);
    writeFileSync(join(directory, `f${at}`), `${at} ${content}`);
  }
  return workspace;
}

/** The exit codes of the threads that are started while `work` runs, as they end. */
async function exitCodes(work: (codes: number[]) => Promise<void>): Promise<void> {
  const codes: number[] = [];
  const watch = (worker: Worker): void => void worker.once('exit', (code) => codes.push(code));
  process.on('worker', watch);
  await work(codes).finally(() => process.off('worker', watch));
}

test('when it is given up for its silence', () =>
  exitCodes(async (codes) => {
    const workspace = largeWorkspace();
    const { checkpointer, session } = openCheckpointer({ workspace, silenceMs: 60 });
    const error = await within(10_000, rejects(checkpointer.capture(session, 'long')));
    assert.match(error.message, 'without progress');
    await eventually(10_000, () => codes.length > 0);
    assert.equal(codes, [endedByItself]);
    await checkpointer.close();
  }));

test('when the service stops and has waited long enough', () =>
  exitCodes(async (codes) => {
    const workspace = largeWorkspace();
    const { checkpointer, session } = openCheckpointer({ workspace, endWaitMs: 50 });
    const capture = rejects(checkpointer.capture(session, 'long'));
    await within(10_000, checkpointer.close());
    assert.match((await capture).message, 'The service is stopping');
    assert.equal(codes, [endedByItself]);
  }));

test.run();
