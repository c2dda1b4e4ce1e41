import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { assertWhole, createAcknowledged } from './acknowledged.ts';
import { commitUntilEnded } from './crash-child.ts';

if (process.argv[2] === 'child') await commitUntilEnded(process.argv[3] ?? '');

const test = suite('a process that is killed loses nothing that the database acknowledged');

/** Bounded by time; SQL_KILL_CYCLES and SQL_KILL_SECONDS run the rig longer. */
const seconds = Number(process.env.SQL_KILL_SECONDS ?? 20);
const cycles = Number(process.env.SQL_KILL_CYCLES ?? 200);

test('at random moments, also while it recovers', async () => {
  const directory = tempDirectory();
  const acknowledged = createAcknowledged();
  const ends = performance.now() + seconds * 1_000;
  let done = 0;
  let checked = 0;
  while (done < cycles && (performance.now() < ends || checked < 3)) {
    const early = done % 5 === 4;
    const output = await life(
      directory,
      early ? { afterStart: 900 * Math.random() } : { afterOpen: 300 * Math.random() },
    );
    if (output.includes('\nopened\n')) {
      assertWhole(acknowledged.missing(output), `kill ${done}`);
      checked += 1;
    }
    acknowledged.learn(output);
    done += 1;
  }
  console.log(`\n${done} kills, ${checked} recoveries checked, ${acknowledged.count} changes acknowledged, 0 lost`);
  assert.ok(checked >= 3 && acknowledged.count > 100, 'the rig worked');
});

test.run();

/** One process from start to kill. Resolves to what it told. */
function life(directory: string, kill: { afterStart?: number; afterOpen?: number }): Promise<string> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'child', directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => child.kill('SIGKILL');
  return new Promise((resolve, reject) => {
    let output = '';
    let opened = false;
    const latest = setTimeout(end, 60_000);
    const early = kill.afterStart === undefined ? undefined : setTimeout(end, kill.afterStart);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (opened || !/^opened$/m.test(output)) return;
      opened = true;
      setTimeout(end, kill.afterOpen ?? 0);
    });
    child.on('close', (code, signal) => {
      clearTimeout(latest);
      clearTimeout(early);
      if (signal === 'SIGKILL') resolve(output);
      else reject(new Error(`The child ended with ${code ?? signal}.`));
    });
  });
}
