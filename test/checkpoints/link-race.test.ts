import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { openCheckpointer } from './open-checkpointer.ts';

const test = suite('A directory that flips to a link during a restore or a capture leads nowhere');

/** Exchanges a directory and a link to `outside`, as fast as it can. */
const flipper = `
  const fs = require('node:fs');
  const [inner, aside, outside] = process.argv.slice(1);
  process.stdout.write('ready');
  const pause = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  for (;;) try {
    fs.renameSync(inner, aside);
    fs.symlinkSync(outside, inner);
    pause(Math.random());
    fs.unlinkSync(inner);
    fs.renameSync(aside, inner);
    pause(Math.random());
  } catch {
    for (const path of [inner, aside]) try { fs.rmSync(path, { recursive: true, force: true }); } catch {}
    try {
      fs.mkdirSync(inner);
      for (let at = 0; at < 30; at++) fs.writeFileSync(inner + '/f' + at, 'changed');
    } catch {}
  }
`;

test('nothing outside is written, deleted or captured', async () => {
  const { checkpointer, workspace, session } = openCheckpointer();
  const outside = tempDirectory('outside');
  const inner = join(workspace, 'inner');
  mkdirSync(inner);
  for (let at = 0; at < 30; at++) {
    writeFileSync(join(inner, `f${at}`), `inside ${at}`);
    writeFileSync(join(outside, `f${at}`), 'THE SECRET OF SOMEBODY ELSE');
  }
  const checkpoint = await within(10_000, checkpointer.capture(session, 'x'));
  const child = spawn(process.execPath, ['-e', flipper, inner, join(tempDirectory('aside'), 'inner'), outside]);
  process.once('exit', () => child.kill('SIGKILL'));
  await within(10_000, once(child.stdout, 'data'));
  const taken: string[] = [];
  const end = performance.now() + 2_000;
  let refused = 0;
  while (performance.now() < end) {
    try {
      await within(10_000, checkpointer.restore(session, checkpoint.id));
      taken.push((await within(10_000, checkpointer.capture(session, 'raced'))).id);
    } catch {
      refused += 1;
    }
  }
  child.kill('SIGKILL');
  await within(5_000, once(child, 'exit'));
  assert.ok(taken.length > 0, `${refused} operations were refused`);
  assert.is(readdirSync(outside).length, 30);
  for (const name of readdirSync(outside))
    assert.is(readFileSync(join(outside, name), 'utf8'), 'THE SECRET OF SOMEBODY ELSE');
  rmSync(inner, { recursive: true, force: true });
  mkdirSync(inner);
  for (const id of taken.slice(-30)) {
    const { changes } = await within(10_000, checkpointer.diff(session, id));
    assert.not.match(JSON.stringify(changes), 'SOMEBODY ELSE');
  }
  await checkpointer.close();
});

test.run();
