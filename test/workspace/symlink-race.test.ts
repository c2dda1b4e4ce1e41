import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Workspace } from '../../lib/workspace/workspace.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { openWorkspace } from './open-workspace.ts';

/** How often each operation is tried; set it to 1000000 for the long form. */
const tries = Number(process.env.SYMLINK_RACE_TRIES ?? 6_000);
const secret = 'TOP SECRET';

const test = suite('A link that flips between inside and outside while a path is used never leads out');

/** Flips `flip` between a directory inside and one outside as fast as it can, in a thread of its own. */
const flipper = `
  const { symlinkSync, renameSync } = require('node:fs');
  const { workerData, parentPort } = require('node:worker_threads');
  const stop = new Int32Array(workerData.stop);
  for (let turn = 0; Atomics.load(stop, 0) === 0; turn++) {
    symlinkSync(turn % 2 ? 'inside' : workerData.outside, workerData.work + '/flip.new');
    renameSync(workerData.work + '/flip.new', workerData.work + '/flip');
    if (turn === 10) parentPort.postMessage('flipping');
  }
`;

async function underFlips(fn: (workspace: Workspace, outside: string) => Promise<void>): Promise<void> {
  const base = tempDirectory('race');
  const outside = join(base, 'outside');
  await mkdir(join(base, 'inside/inside'), { recursive: true });
  await mkdir(outside);
  await writeFile(join(base, 'inside/inside/file.txt'), 'inside');
  await writeFile(join(outside, 'file.txt'), secret);
  await writeFile(join(outside, 'only-outside.txt'), secret);
  const workspace = await openWorkspace(base);
  const stop = new SharedArrayBuffer(4);
  const worker = new Worker(flipper, { eval: true, workerData: { work: workspace.root, outside, stop } });
  await new Promise((resolve) => worker.once('message', resolve));
  try {
    await fn(workspace, outside);
  } finally {
    Atomics.store(new Int32Array(stop), 0, 1);
    await worker.terminate();
  }
}

test('reading', () =>
  underFlips(async (workspace) => {
    const seen = { inside: 0, refused: 0, escapes: 0 };
    await tryAll(async () => {
      const file = await workspace.read('flip/file.txt').catch(() => undefined);
      if (file === undefined) seen.refused++;
      else if (file.content === 'inside') seen.inside++;
      else seen.escapes++;
    });
    console.log(`reads: ${JSON.stringify(seen)}`);
    assert.is(seen.escapes, 0);
    assert.ok(seen.inside > 0 && seen.refused > 0, 'both targets were met');
  }));

test('listing', () =>
  underFlips(async (workspace) => {
    const seen = { inside: 0, refused: 0, escapes: 0 };
    await tryAll(async () => {
      const listing = await workspace.list('flip').catch(() => undefined);
      if (listing === undefined) seen.refused++;
      else if (listing.entries.some((entry) => entry.name === 'only-outside.txt')) seen.escapes++;
      else seen.inside++;
    });
    console.log(`listings: ${JSON.stringify(seen)}`);
    assert.is(seen.escapes, 0);
    assert.ok(seen.inside > 0 && seen.refused > 0, 'both targets were met');
  }));

test('writing, into a directory that is there and into one that must be made', () =>
  underFlips(async (workspace, outside) => {
    const seen = { written: 0, refused: 0 };
    await tryAll(
      async (turn) => {
        const path = turn % 2 ? 'flip/file.txt' : `flip/new-${turn % 7}/deep/file.txt`;
        await workspace.write(path, 'written').then(
          () => seen.written++,
          () => seen.refused++,
        );
      },
      Math.ceil(tries / 5),
    );
    console.log(`writes: ${JSON.stringify(seen)}`);
    assert.equal((await readdir(outside)).sort(), ['file.txt', 'only-outside.txt']);
    assert.is(await readFile(join(outside, 'file.txt'), 'utf8'), secret);
    assert.ok(seen.written > 0 && seen.refused > 0, 'both targets were met');
  }));

async function tryAll(fn: (turn: number) => Promise<void>, count = tries): Promise<void> {
  for (let turn = 0; turn < count; turn += 4) await Promise.all([fn(turn), fn(turn + 1), fn(turn + 2), fn(turn + 3)]);
}

test.run();
