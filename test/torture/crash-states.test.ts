import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FilePort } from '../../lib/store/file-port.ts';
import { createRandom } from '../helpers/random.ts';
import { type Counts, cutEverywhere } from './crash/cut-everywhere.ts';
import { makeHistory } from './crash/history.ts';
import { crashStates } from './disk/crash-states.ts';
import { emptyImage, filesIn } from './disk/disk-image.ts';
import type { DiskOperation } from './disk/disk-operation.ts';
import { createMemoryDisk } from './disk/memory-disk.ts';
import { createPlatter } from './disk/platter.ts';

const test = suite('the enumerator of crash states');
const random = createRandom(1);

test('leaves what was synced and takes or tears what was not, in every combination', async () => {
  const { files, trace } = createMemoryDisk();
  const descriptor = await files.open('/log', 'append');
  files.writeSync(descriptor, Buffer.alloc(600, 'a'));
  await files.datasync(descriptor);
  await files.syncDirectory('/');
  files.writeSync(descriptor, Buffer.alloc(600, 'b'));
  await files.rename('/log', '/new');
  const seen = new Set<string>();
  for (const { image } of statesAfter(trace)) {
    const [[path = '', bytes = Buffer.alloc(0)] = []] = filesIn(image);
    assert.is(bytes.toString('latin1', 0, 600), 'a'.repeat(600));
    seen.add(`${path} ${bytes.toString('latin1', 600).replace(/(.)\1*/gs, (run) => `${run[0]}${run.length} `)}`);
  }
  for (const path of ['/log', '/new'])
    for (const rest of ['', 'b600 ', '\u0000600 ', 'b1 ', 'b424 ', '\u0000424 b176 '])
      assert.ok(seen.has(`${path} ${rest}`), `${path} ${JSON.stringify(rest)} of ${JSON.stringify([...seen])}`);
});

test('knows that a sync covers neither the name of the file nor what is written while it runs', async () => {
  let release = (): void => undefined;
  const pause = () => new Promise<void>((resolve) => (release = resolve));
  const slow = createMemoryDisk({ pause });
  const opening = slow.files.open('/log', 'append');
  release();
  const descriptor = await opening;
  slow.files.writeSync(descriptor, Buffer.from('before '));
  const syncing = slow.files.datasync(descriptor);
  slow.files.writeSync(descriptor, Buffer.from('meanwhile'));
  release();
  await syncing;
  const left = new Set([...statesAfter(slow.trace)].map(({ image }) => filesIn(image).get('/log')?.toString()));
  assert.ok(left.has(undefined) && left.has('before ') && left.has('before meanwhile'));
  assert.not(left.has(''));
});

const lie = async (): Promise<void> => undefined;
const liars: Record<string, (files: FilePort) => FilePort> = {
  'the sync of the log': (files) => ({ ...files, datasync: lie }),
  'the sync of new files': (files) => ({ ...files, sync: lie }),
  'the sync of directories': (files) => ({ ...files, syncDirectory: lie }),
};
for (const [name, spoil] of Object.entries(liars))
  test(`sees that a disk loses data when ${name} does nothing`, async () => {
    const counts: Counts = { acknowledged: 0, states: 0, again: 0, histories: 0, lost: 0, violations: [] };
    for (let seed = 1; seed < 10 && counts.violations.length === 0; seed++) {
      const history = await makeHistory({ seed, length: 300, spoil });
      await cutEverywhere(history, { most: 8, every: 2, random, counts, goesOn: () => true });
    }
    assert.ok(counts.violations.length > 0, `nothing in ${counts.states} states`);
  });

test.run();

function statesAfter(trace: readonly DiskOperation[]) {
  const platter = createPlatter(emptyImage());
  for (const operation of trace) platter.advance(operation);
  return crashStates(platter, { most: 1_000, random });
}
