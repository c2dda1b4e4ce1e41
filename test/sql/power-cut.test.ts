import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAcknowledged } from './acknowledged.ts';
import { commitUntilEnded } from './crash-child.ts';
import { loopDisk, type ScratchDisk } from './scratch-disk.ts';

if (process.argv[2] === 'child') await commitUntilEnded(process.argv[3] ?? '', { durable: process.argv[4] === 'true' });

/** SQL_POWER_CUTS runs the rig longer. */
const cuts = Number(process.env.SQL_POWER_CUTS ?? 3);
const test = suite('a power cut');

function probe(): string | undefined {
  try {
    loopDisk(16).dispose();
    return undefined;
  } catch (error) {
    return String(error).split('\n')[0];
  }
}

const why = probe();
if (why) console.log(`SKIPPED the power cuts: this machine does not let us mount (${why})`);

interface Outcome {
  cuts: number;
  acknowledged: number;
  /** Databases that did not open, and what was missing in those that did. */
  problems: string[];
}

/** Cuts the power under a process that commits, again and again, and looks what is there. */
async function cutAgainAndAgain(times: number, durable: boolean): Promise<Outcome> {
  const disk = loopDisk(400);
  const acknowledged = createAcknowledged();
  const problems: string[] = [];
  let done = 0;
  try {
    while (done < times && (durable || problems.length === 0)) {
      const output = await lifeUntilCut(disk, durable);
      problems.push(...(output.includes('opened\n') ? acknowledged.missing(output) : ['it does not open']));
      acknowledged.learn(output);
      done += 1;
    }
    const last = await lifeUntilCut(disk, durable);
    problems.push(...(last.includes('opened\n') ? acknowledged.missing(last) : ['it does not open']));
  } finally {
    disk.dispose();
  }
  return { cuts: done, acknowledged: acknowledged.count, problems };
}

function lifeUntilCut(disk: ScratchDisk, durable: boolean): Promise<string> {
  const args = [fileURLToPath(import.meta.url), 'child', `${disk.directory}/data`, String(durable)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((resolve) => {
    let output = '';
    let opened = false;
    let lit = true;
    const cut = (): void => {
      if (lit) disk.cut();
      lit = false;
      child.kill('SIGKILL');
    };
    const latest = setTimeout(cut, 60_000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // What is told after the cut was not told in time.
      if (lit) output += text;
      if (opened || !/^opened$/m.test(output)) return;
      opened = true;
      setTimeout(cut, 300 + 900 * Math.random());
    });
    child.on('close', () => {
      clearTimeout(latest);
      disk.remount();
      resolve(output);
    });
  });
}

test('loses nothing that was acknowledged, and every database opens', async () => {
  if (why) return;
  const { acknowledged, problems, ...done } = await cutAgainAndAgain(cuts, true);
  console.log(`\n${done.cuts} power cuts, ${acknowledged} changes acknowledged, ${problems.length} problems`);
  assert.equal(problems, []);
  assert.ok(acknowledged > 100, 'the rig worked');
});

test('loses data without durability: the rig is able to see it', async () => {
  if (why) return;
  const { problems } = await cutAgainAndAgain(5, false);
  console.log(`\nwithout durability: ${problems.length} problems, for example: ${problems[0]}`);
  assert.ok(problems.length > 0);
});

test.run();
