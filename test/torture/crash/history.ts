import type { FilePort } from '../../../lib/store/file-port.ts';
import { createRandom } from '../../helpers/random.ts';
import { type DiskImage, emptyImage } from '../disk/disk-image.ts';
import type { DiskOperation } from '../disk/disk-operation.ts';
import { createMemoryDisk } from '../disk/memory-disk.ts';
import { boot, inspect, revisionsOf } from './inspect.ts';
import { createLedger, type Ledger } from './ledger.ts';
import { createMortality } from './mortality.ts';
import { work } from './work.ts';

/** Everything that happened to one disk while stores worked on it and were killed. */
export interface History {
  trace: readonly DiskOperation[];
  ledger: Ledger;
  segmentBytes: number;
  lives: number;
  /** What was wrong already after a kill that took nothing but the process. */
  problems: string[];
}

export interface HistoryOptions {
  seed: number;
  /** About how many disk operations. */
  length: number;
  /** Makes a disk worse than it says it is. */
  spoil?: (files: FilePort) => FilePort;
}

/**
 * Lets stores live on one disk in memory, one after the other. A life ends with a stop or, more often, with a kill at some
 * operation: what was not synced then is still in the system's memory, and a later power cut may take it.
 */
export async function makeHistory({ seed, length, spoil }: HistoryOptions): Promise<History> {
  const random = createRandom(seed);
  const ledger = createLedger();
  const segmentBytes = random.pick([900, 2_500, 6_000]);
  const history: History = { trace: [], ledger, segmentBytes, lives: 0, problems: [] };
  let image: DiskImage = emptyImage();
  while (history.trace.length < length) {
    const bornAt = history.trace.length;
    const mortality = createMortality(random, bornAt + 20 + random.below(Math.max(60, length / 2)));
    const disk = createMemoryDisk({ image, trace: history.trace, ...mortality });
    if (spoil) disk.files = spoil(disk.files);
    const born = await mortality.orDeath(boot(disk, segmentBytes));
    if (born && bornAt > 0) {
      const expected = ledger.reader()(bornAt);
      const { problems } = await inspect(born, expected);
      history.problems.push(...problems.map((problem) => `after the kill at operation ${bornAt}: ${problem}`));
      ledger.note(disk.trace.length, { kind: 'reopened', revisions: revisionsOf(born.opened) });
    }
    if (born) await work(born, { random, ledger, mortality });
    mortality.die();
    Object.assign(history, { trace: disk.trace, lives: history.lives + 1 });
    image = disk.image;
  }
  return history;
}
