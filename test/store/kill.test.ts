import { spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { withStore } from './file-rig.ts';
import { commitUntilKilled, transcriptAt } from './kill-child.ts';
import { texts } from './sample.ts';

if (process.argv[2] === 'child') await commitUntilKilled(process.argv[3] ?? '', process.argv[4] ?? '');

const test = suite('a process that is killed loses nothing that it acknowledged');

/** Bounded by time so that a slow machine runs fewer cycles; STORE_KILL_SECONDS runs the rig longer. */
const seconds = Number(process.env.STORE_KILL_SECONDS ?? 20);

const failpoints = [
  'open log/',
  'writeSync log/',
  'datasync log/',
  'sync log/',
  'syncDirectory log',
  'remove log/',
  'rename log/',
  'open sessions/',
  'write sessions/',
  'sync sessions/',
  'rename sessions/',
  'syncDirectory sessions',
  'remove sessions/',
  'open index.json',
  'write index.json',
  'sync index.json',
  'rename index.json',
  'makeDirectory sessions',
];

test('at random moments and at every kind of system call', async () => {
  const seed = Number(process.env.STORE_KILL_SEED ?? Date.now() % 1e9);
  const random = generator(seed);
  const known: Known = { stored: new Map(), deleting: new Set(), deleted: new Set(), acknowledged: 0 };
  const directory = tempDirectory();
  const reached = new Set<string>();
  const ends = performance.now() + seconds * 1_000;
  let cycles = 0;
  while (performance.now() < ends && cycles < Math.max(200, seconds * 10)) {
    const failpoint = cycles % 2 === 0 ? (failpoints[(cycles / 2) % failpoints.length] ?? '') : '';
    const nth = failpoint === '' ? 0 : 1 + Math.floor(random() * (cycles % 4 === 0 ? 3 : 40));
    const byItself = await within(
      10_000,
      life(directory, `${failpoint} ${nth}`, random() * (cycles % 8 === 1 ? 400 : 60), known),
    );
    if (byItself) reached.add(failpoint);
    cycles += 1;
    const copy = tempDirectory();
    await cp(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    await verify(copy, known, `cycle ${cycles}, seed ${seed}, failpoint ${failpoint} ${nth}`);
    await rm(copy, { recursive: true });
  }
  console.log(
    `\n${cycles} kills (seed ${seed}, ${reached.size} of ${failpoints.length} failpoints reached), ` +
      `${known.acknowledged} changes acknowledged, 0 lost`,
  );
  assert.ok(cycles >= 5 && known.acknowledged > 100, 'the rig worked');
});

test.run();

interface Known {
  stored: Map<string, number>;
  deleting: Set<string>;
  deleted: Set<string>;
  acknowledged: number;
}

/** One process from start to kill. Resolves to whether it killed itself at its failpoint. */
function life(directory: string, failpoint: string, killAfterMs: number, known: Known): Promise<boolean> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), 'child', directory, failpoint], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let output = '';
    let killed = false;
    const kill = (): void => {
      killed = true;
      child.kill('SIGKILL');
    };
    const latest = setTimeout(kill, 8_000);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (output === '') setTimeout(kill, failpoint.startsWith(' ') ? killAfterMs : 150);
      output += text;
    });
    child.on('close', (code, signal) => {
      clearTimeout(latest);
      for (const line of output.split('\n')) learn(line, known);
      if (signal === 'SIGKILL') resolve(!killed);
      else reject(new Error(`The child ended with ${code ?? signal}.`));
    });
  });
}

function learn(line: string, known: Known): void {
  const [word, id = '', revision] = line.split(' ');
  if (word === 'deleting') known.deleting.add(id);
  if (word === 'stored') known.stored.set(id, Number(revision));
  if (word === 'deleted') {
    known.deleted.add(id);
    known.stored.delete(id);
  }
  if (word === 'stored' || word === 'deleted') known.acknowledged += 1;
}

async function verify(directory: string, known: Known, what: string): Promise<void> {
  await withStore(directory, async (store, { sessions, findings }) => {
    const damage = findings.filter((finding) => !finding.includes('cut short'));
    assert.equal(damage, [], what);
    const records = new Map(sessions.map((record) => [record.id, record]));
    for (const [id, revision] of known.stored) {
      const found = records.get(id)?.revision ?? 0;
      assert.ok(found >= revision || known.deleting.has(id), `${what}: ${id} is at ${found}, acknowledged ${revision}`);
    }
    for (const id of known.deleted) assert.not(records.has(id), `${what}: ${id} came back`);
    for (const { id, revision } of sessions)
      assert.equal(texts(await store.readMessages('default', id)), transcriptAt(id, revision), `${what}: ${id}`);
  });
}

/** A small seeded generator (mulberry32): a failure can be run again. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
