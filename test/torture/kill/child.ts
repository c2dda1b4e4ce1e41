import { writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { type Clock, systemClock } from '../../../lib/base/clock.ts';
import type { SessionStore } from '../../../lib/store/session-store.ts';
import { indexesAgree } from '../../sql/indexes-agree.ts';
import { embeddedDatabase, sqlStoreOn } from '../../sql/sql-rig.ts';
import { watchedFiles } from '../../store/faulty-files.ts';
import { fileStore } from '../../store/file-rig.ts';
import { newId } from '../../store/sample.ts';
import { commitScripted, wrongWith } from '../../store/scripted-changes.ts';
import { noResidents } from '../../store/session-store-contract.ts';
import { killingAt } from './failpoints.ts';

/**
 * A process that opens a store, tells what it finds, and then commits without end, telling every acknowledgement, until
 * somebody ends it. Its lines: `finding <text>`, `found <id> <revision> <whole|broken>`, `indexes <agree|differ>`, `opened`,
 * then `deleting <id>`, `deleted <id>`, `stored <id> <revision>`, and `called <operation> <place>` anywhere.
 * The words are a driver, a directory, and for files a failpoint, for the database whether it is durable.
 */
export async function actAsChild([driver, directory = '', option = '']: string[]): Promise<never> {
  if (driver === 'file') return fileChild(directory, option);
  return sqlChild(directory, option !== 'false');
}

/** Timers that run 100 times as fast, so that short lives see snapshots, purges and checkpoints too. */
const fastClock: Clock = {
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * 100,
  after: (ms, fn) => systemClock.after(ms / 100, fn),
};

async function fileChild(directory: string, failpoint: string): Promise<never> {
  const files = watchedFiles(killingAt(failpoint, { root: directory, tell }));
  const store = fileStore(directory, { files, clock: fastClock, segmentBytes: 4_000 });
  return commitUntilEnded(store, async () => undefined);
}

async function sqlChild(directory: string, durable: boolean): Promise<never> {
  const database = embeddedDatabase(directory, { durable });
  const examine = async () => tell(`indexes ${(await indexesAgree(database)) ? 'agree' : 'differ'}`);
  return commitUntilEnded(sqlStoreOn(database, directory), examine);
}

async function commitUntilEnded(store: SessionStore, examine: () => Promise<void>): Promise<never> {
  const { sessions, findings } = await store.open(noResidents);
  for (const finding of findings) tell(`finding ${finding}`);
  for (const { id, revision } of sessions) {
    const wrong = await wrongWith(store, { id, tenantId: 'default', revision });
    tell(`found ${id} ${revision} ${wrong === undefined ? 'whole' : 'broken'}`);
  }
  await examine();
  tell('opened');
  await Promise.all(Array.from({ length: 8 }, (_, index) => write(store, sessions[index])));
  throw new Error('unreachable');
}

/** One session after the other; each is deleted when it has reached its age. */
async function write(store: SessionStore, found: { id: string; revision: number } | undefined): Promise<never> {
  for (let session = found; ; session = undefined) {
    const id = session?.id ?? newId('ses');
    let revision = session?.revision ?? 0;
    for (; revision < ageOf(id); revision++) {
      await commitScripted(store, id, revision + 1);
      tell(`stored ${id} ${revision + 1}`);
      if (revision % 5 === 0) await pause(2);
    }
    tell(`deleting ${id}`);
    await store.commit({ tenantId: 'default', sessionId: id, revision: revision + 1, change: { kind: 'deleted' } });
    tell(`deleted ${id}`);
  }
}

function ageOf(id: string): number {
  return 8 + ([...id].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 60);
}

/** Waits for a reader that is behind: what was stored must be told before anything else happens. */
function tell(line: string): void {
  for (let rest = Buffer.from(`${line}\n`); rest.length > 0; ) {
    try {
      rest = rest.subarray(writeSync(1, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}
