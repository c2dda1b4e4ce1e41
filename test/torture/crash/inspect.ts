import { createFileStore } from '../../../lib/store/file-store.ts';
import type { OpenedStore, SessionStore } from '../../../lib/store/session-store.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { silent } from '../../store/file-rig.ts';
import { wrongWith } from '../../store/scripted-changes.ts';
import { noResidents } from '../../store/session-store-contract.ts';
import { filesIn } from '../disk/disk-image.ts';
import type { MemoryDisk } from '../disk/memory-disk.ts';
import type { Expected } from './ledger.ts';

export const root = '/data';
export const metaKey = 'mark';

export interface Boot {
  disk: MemoryDisk;
  store: SessionStore;
  clock: FakeClock;
  opened: OpenedStore;
}

/** Starts a store on a disk in memory. It needs no end: dropping it is a crash. */
export async function boot(disk: MemoryDisk, segmentBytes: number): Promise<Boot> {
  const clock = createFakeClock();
  const store = createFileStore({
    directory: root,
    durability: 'full',
    clock,
    log: silent,
    files: disk.files,
    segmentBytes,
    disk: { free: async () => Number.POSITIVE_INFINITY, size: async () => undefined },
    lock: async () => ({ release: async () => undefined }),
  });
  return { disk, store, clock, opened: await store.open(noResidents) };
}

export interface Inspection {
  /** Acknowledged changes that are gone. */
  lost: number;
  problems: string[];
}

/** Holds a store that has just recovered against what was acknowledged and asked for before the crash. */
export async function inspect({ disk, store, opened }: Boot, expected: Expected): Promise<Inspection> {
  const result: Inspection = { lost: 0, problems: opened.findings.filter((finding) => !finding.includes('cut short')) };
  const found = new Map(opened.sessions.map((record) => [record.id, record]));
  for (const [id, standing] of expected.sessions) {
    const revision = found.get(id)?.revision ?? 0;
    const { acknowledged, issued, deletion } = standing;
    if (deletion === 'acknowledged' && revision > 0) result.problems.push(`${id} was deleted and came back`);
    if (deletion === 'acknowledged' || (deletion === 'issued' && revision === 0)) continue;
    if (revision < acknowledged) {
      result.lost += acknowledged - revision;
      result.problems.push(`${id} is at revision ${revision}, acknowledged was ${acknowledged}`);
    }
    if (revision > issued) result.problems.push(`${id} is at revision ${revision}, asked for was ${issued}`);
  }
  for (const record of opened.sessions) {
    if (!expected.sessions.has(record.id)) result.problems.push(`${record.id} was never created`);
    const wrong = await wrongWith(store, record);
    if (wrong !== undefined) result.problems.push(wrong);
  }
  const mark = Number((await store.readMeta(metaKey)) ?? 0);
  if (mark < expected.meta.acknowledged || mark > expected.meta.issued)
    result.problems.push(`the small value is ${mark}, acknowledged was ${expected.meta.acknowledged}`);
  for (const path of filesIn(disk.image).keys()) {
    const session = /^\/data\/blobs\/([^/]+)\//.exec(path)?.[1];
    if (path.endsWith('.tmp')) result.problems.push(`${path} was left behind`);
    if (session !== undefined && !found.has(session)) result.problems.push(`${path} belongs to nobody`);
  }
  return result;
}

export function revisionsOf({ sessions }: OpenedStore): Map<string, number> {
  return new Map(sessions.map(({ id, revision }) => [id, revision]));
}
