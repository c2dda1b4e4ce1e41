import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionCommit } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createRandom, type Random } from '../helpers/random.ts';
import { boot, root } from '../torture/crash/inspect.ts';
import { crashStates } from '../torture/disk/crash-states.ts';
import { emptyImage } from '../torture/disk/disk-image.ts';
import { createMemoryDisk } from '../torture/disk/memory-disk.ts';
import { createPlatter } from '../torture/disk/platter.ts';
import { fault, type Interfere, watchedFiles } from './faulty-files.ts';
import { author } from './sample.ts';

const test = suite('a change that was refused does not come back, whatever a power cut leaves');

const wholeBytes = 1_000_000;
/** Calls that change a disk behind the one that fails first, until a change is answered. */
const callsToAnswer = 12;
const changing = new Set(['open', 'writeSync', 'write', 'truncateSync', 'datasync', 'sync', 'syncDirectory', 'remove']);

test('a sync that fails, and a disk that takes nothing any more', async () => {
  const { outcome, found } = await afterFaults(({ at }) => at === 1 || at > 3);
  assert.is(outcome, 'NotStored');
  assert.equal(found, [1]);
});

test('a write that is cut short and then fails', async () => {
  const { outcome, found } = await afterFaults(({ at }) => (at === 0 ? 'short' : at === 1));
  assert.is(outcome, 'NotStored');
  assert.equal(found, [1]);
});

test('a cut that cannot be synced leaves a doubt, and the answer says so', async () => {
  const { outcome, found } = await afterFaults(({ at }) => at === 1 || at >= 3);
  assert.is(outcome, 'StoreInDoubt');
  assert.equal(found, [1, 2]);
});

for (const code of ['EIO', 'ENOSPC'])
  test(`any of the next ${callsToAnswer} calls fail (${code}), in a hundred ways`, async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 100; seed++) {
      const random = createRandom(seed);
      const fates = Array.from({ length: callsToAnswer }, () => random.pick(['fails', 'fails', 'goes well', 'short']));
      const goesOn = random.once(2);
      const fate = ({ at }: { at: number }) => (fates[at] === 'short' ? 'short' : fates[at] === 'fails');
      const { outcome, found } = await afterFaults(fate, { code, random, goesOn });
      outcomes.add(outcome);
      // What is stored behind it makes void what was in doubt, and has its revision.
      const isThere = goesOn || outcome === 'stored';
      const allowed = isThere ? [2] : outcome === 'NotStored' ? [1] : [1, 2];
      for (const revision of found)
        assert.ok(allowed.includes(revision), `${outcome} and at ${revision}: ${fates} (${code}, seed ${seed})`);
    }
    assert.equal([...outcomes].sort(), ['NotStored', 'StoreInDoubt', 'stored']);
  });

test.run();

interface Options {
  code?: string;
  random?: Random;
  /** The disk is well again, and the session takes another change. */
  goesOn?: boolean;
}

/** `at` counts the calls that change the disk from the one that writes the change; true: it fails. */
type Fate = (call: { at: number }) => boolean | 'short';

/**
 * A session of revision 1 takes a change, beside another one, while the disk fails so. Tells how that was answered, and the
 * revisions that the session may have after a power cut then.
 */
async function afterFaults(
  fate: Fate,
  { code = 'EIO', random = createRandom(1), goesOn = false }: Options = {},
): Promise<{ outcome: string; found: number[] }> {
  const disk = createMemoryDisk();
  let at = Number.NEGATIVE_INFINITY;
  const interfere: Interfere = ({ operation, path }) => {
    if (!changing.has(operation) || !path.startsWith(`${root}/log`)) return undefined;
    const given = at >= 0 && fate({ at });
    at += 1;
    if (given === true) throw fault(code);
    return given === 'short' ? 'short' : undefined;
  };
  const { store } = await boot({ ...disk, files: watchedFiles(interfere, disk.files) }, wholeBytes);
  const [session, other] = [author(), author()];
  for (const each of [session, other]) await store.commit(each.create());
  at = 0;
  // In one batch: what is cut short holds the first of them whole.
  const [outcome] = await Promise.all([
    outcomeOf(store, session.append('while the disk fails')),
    outcomeOf(store, other.append('x'.repeat(1_000))),
  ]);
  at = Number.NEGATIVE_INFINITY;
  if (goesOn && outcome !== 'stored') {
    session.undo();
    await store.commit(session.append('afterwards'));
  }
  const found = new Set<number>();
  const platter = createPlatter(emptyImage());
  for (const operation of disk.trace) platter.advance(operation);
  for (const { image } of crashStates(platter, { most: 60, random })) {
    const { opened } = await boot(createMemoryDisk({ image }), wholeBytes);
    for (const { id, revision } of opened.sessions) if (id === session.id) found.add(revision);
  }
  return { outcome, found: [...found].sort() };
}

async function outcomeOf(store: SessionStore, commit: SessionCommit): Promise<string> {
  return store.commit(commit).then(
    () => 'stored',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
}
