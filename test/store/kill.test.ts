import { spawn } from 'node:child_process';
import { cp, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { withStore } from './file-rig.ts';
import { commitUntilKilled } from './kill-child.ts';
import { wrongWith } from './scripted-changes.ts';

if (process.argv[2] === 'child') await commitUntilKilled(process.argv[3] ?? '', process.argv[4] ?? '');

const test = suite('a process that is killed loses nothing that it acknowledged');

/** As many kills as it takes in CI; elsewhere a busy machine stops earlier. STORE_KILL_SECONDS runs the rig for that long. */
const wanted = process.env.STORE_KILL_SECONDS ? Number.POSITIVE_INFINITY : 200;
const seconds = Number(process.env.STORE_KILL_SECONDS ?? (process.env.CI ? 200 : 20));
/** Directories that live and die beside each other: most of a life is waiting. */
const lanes = 4;

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
  const totals = { cycles: 0, acknowledged: 0, reached: new Set<string>() };
  const ends = performance.now() + seconds * 1_000;
  const goesOn = () => performance.now() < ends && totals.cycles < wanted;
  await Promise.all(Array.from({ length: lanes }, (_, lane) => killAgainAndAgain(lane, { seed, totals, goesOn })));
  const { cycles, acknowledged, reached } = totals;
  console.log(
    `\n${cycles} kills (seed ${seed}, ${reached.size} of ${failpoints.length} failpoints reached), ` +
      `${acknowledged} changes acknowledged, 0 lost`,
  );
  assert.ok(cycles >= (process.env.CI ? wanted : lanes) && acknowledged > 100, 'the rig worked');
});

test.run();

interface Rig {
  seed: number;
  totals: { cycles: number; acknowledged: number; reached: Set<string> };
  goesOn(): boolean;
}

/** One directory after the other, each for ten lives: what has grown large makes every life slower and shows nothing new. */
async function killAgainAndAgain(lane: number, { seed, totals, goesOn }: Rig): Promise<void> {
  const random = generator(seed + lane);
  for (let cycle = lane * 5; goesOn(); ) {
    const directory = tempDirectory();
    const known: Known = { stored: new Map(), deleting: new Set(), deleted: new Set(), acknowledged: 0 };
    for (const last = cycle + 10; cycle < last && goesOn(); cycle++) {
      const failpoint = cycle % 4 === 3 ? '' : (failpoints[cycle % failpoints.length] ?? '');
      const nth = failpoint === '' ? 0 : 1 + Math.floor(random() * (cycle % 2 === 0 ? 3 : 30));
      const byItself = await within(
        10_000,
        life(directory, `${failpoint} ${nth}`, random() * (cycle % 8 === 3 ? 400 : 60), known),
      );
      if (byItself) totals.reached.add(failpoint);
      totals.cycles += 1;
      const copy = tempDirectory();
      await cp(directory, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
      await verify(copy, known, `cycle ${cycle}, seed ${seed}, lane ${lane}, failpoint ${failpoint} ${nth}`);
      await rm(copy, { recursive: true });
    }
    totals.acknowledged += known.acknowledged;
    await rm(directory, { recursive: true });
  }
}

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
    for (const record of sessions) assert.is(await wrongWith(store, record), undefined, what);
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
