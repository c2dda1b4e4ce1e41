import { createRandom, type Random } from '../../helpers/random.ts';
import { wrongWith } from '../../store/scripted-changes.ts';
import { type History, makeHistory } from '../crash/history.ts';
import { boot } from '../crash/inspect.ts';
import type { Expected } from '../crash/ledger.ts';
import { copyImage, type DiskImage, emptyImage } from '../disk/disk-image.ts';
import { isBarrier } from '../disk/disk-operation.ts';
import { createMemoryDisk } from '../disk/memory-disk.ts';
import { apply } from '../disk/platter.ts';
import type { Trial, TrialResult } from '../trial.ts';

/** One bit of the log, the index or a snapshot is wrong at the next start. Images and small values have no checksum and are left alone. */
export const bitRotTrial: Trial = {
  name: 'bit-rot',
  cycle: 'a bit that turned over in a file of a killed store, found at the next start',
  async run({ ms, seed }): Promise<TrialResult> {
    const ends = performance.now() + ms;
    const random = createRandom(seed);
    const violations: string[] = [];
    const counts = { cycles: 0, acknowledged: 0, histories: 0, reported: 0, harmless: 0 };
    while (counts.cycles === 0 || (performance.now() < ends && violations.length < 20)) {
      const history = await makeHistory({ seed: random.seed(), length: 200 });
      counts.histories += 1;
      counts.acknowledged += history.ledger.count;
      for (const { image, expected, at } of momentsOf(history, random)) {
        for (let flips = 6; flips > 0; flips--) {
          const damaged = copyImage(image);
          const where = flipOneBit(damaged, random);
          if (where === undefined) continue;
          const { problems, reported } = await startWith(damaged, { history, expected });
          counts.cycles += 1;
          counts[reported ? 'reported' : 'harmless'] += 1;
          const when = `${where} after operation ${at} of history ${counts.histories}`;
          violations.push(...problems.map((problem) => `${problem} (${when})`));
        }
        if (performance.now() > ends) break;
      }
    }
    const { cycles, acknowledged, ...rest } = counts;
    const figures = Object.fromEntries(Object.entries(rest).map(([name, count]) => [name, String(count)]));
    return { cycles, acknowledged, lost: 0, violations, figures };
  },
};

interface Moment {
  image: DiskImage;
  expected: Expected;
  at: number;
}

function* momentsOf({ trace, ledger }: History, random: Random): Generator<Moment> {
  const image = emptyImage();
  const expectedAt = ledger.reader();
  for (const [at, operation] of trace.entries()) {
    if (!isBarrier(operation)) apply(image, operation);
    if (random.once(4)) yield { image, expected: expectedAt(at + 1), at };
  }
}

/** Names the byte; undefined when there is none yet. */
function flipOneBit(image: DiskImage, random: Random): string | undefined {
  const named = pathsIn(image).filter(
    ({ path, node }) => /^\/data\/(log|sessions|tenants|index)/.test(path) && sizeOf(image, node) > 0,
  );
  const chosen = named[random.below(named.length)];
  const file = chosen && image.get(chosen.node);
  if (file?.kind !== 'file') return undefined;
  const at = random.below(file.bytes.length);
  const bytes = Buffer.from(file.bytes);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(7));
  file.bytes = bytes;
  return `byte ${at} of ${chosen?.path}`;
}

/** At most one session may suffer, and it must be said which. */
async function startWith(
  image: DiskImage,
  { history, expected }: { history: History; expected: Expected },
): Promise<{ problems: string[]; reported: boolean }> {
  const disk = createMemoryDisk({ image });
  try {
    const { store, opened } = await boot(disk, history.segmentBytes);
    const problems: string[] = [];
    const suffering = new Set<string>();
    const found = new Map(opened.sessions.map((record) => [record.id, record]));
    for (const [id, { acknowledged, issued, deletion }] of expected.sessions) {
      const record = found.get(id);
      if (deletion === 'acknowledged' && record) problems.push(`${id} was deleted and came back`);
      if (deletion !== 'none' && !record) continue;
      const told = opened.findings.some((finding) => finding.includes(id) || finding.includes('cannot be told'));
      if (record === undefined && acknowledged > 0) suffering.add(id);
      if (record === undefined && acknowledged > 0 && !told) problems.push(`${id} is gone, and nothing says so`);
      if (!record) continue;
      if (record.revision < acknowledged || record.revision > issued)
        problems.push(`${id} is at revision ${record.revision}, acknowledged was ${acknowledged}`);
      const wrong = await wrongWith(store, record);
      if (/can ?not be read/.test(wrong ?? '')) suffering.add(id);
      else if (wrong !== undefined) problems.push(wrong);
    }
    if (suffering.size > 1) problems.push(`${[...suffering].join(' and ')} suffer from one bit`);
    return {
      problems: problems.map((problem) => `${problem} ${JSON.stringify(opened.findings)}`),
      reported: opened.findings.length + suffering.size > 0,
    };
  } catch (error) {
    return { problems: [`it does not open: ${error instanceof Error ? error.stack : error}`], reported: false };
  }
}

function pathsIn(image: DiskImage, number = 0, path = ''): { path: string; node: number }[] {
  const node = image.get(number);
  if (node?.kind !== 'directory') return [{ path, node: number }];
  return [...node.names].flatMap(([name, child]) => pathsIn(image, child, `${path}/${name}`));
}

function sizeOf(image: DiskImage, number: number): number {
  const node = image.get(number);
  return node?.kind === 'file' ? node.bytes.length : 0;
}
