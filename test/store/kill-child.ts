import { writeSync } from 'node:fs';
import { type Clock, systemClock } from '../../lib/base/clock.ts';
import { type Interfere, watchedFiles } from './faulty-files.ts';
import { fileStore } from './file-rig.ts';
import { newId } from './sample.ts';
import { commitScripted } from './scripted-changes.ts';
import { noResidents } from './session-store-contract.ts';

/** Timers that run 100 times as fast, so that short lives see snapshots, purges and checkpoints too. */
const fastClock: Clock = {
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * 100,
  after: (ms, fn) => systemClock.after(ms / 100, fn),
};

/**
 * A process that commits without end and tells every acknowledgement on its standard output, until it is killed: from
 * outside, or by itself at the `nth` call of a system call on a path (`failpoint` is `operation path nth`).
 */
export async function commitUntilKilled(directory: string, failpoint: string): Promise<never> {
  const store = fileStore(directory, {
    files: watchedFiles(killingAt(failpoint)),
    clock: fastClock,
    segmentBytes: 12_000,
  });
  const { sessions } = await store.open(noResidents);
  tell('opened\n');
  const writers = Array.from({ length: 8 }, async (_, index) => {
    let id = sessions[index]?.id ?? newId('ses');
    let revision = sessions[index]?.revision ?? 0;
    for (;;) {
      if (revision > 90) {
        tell(`deleting ${id}\n`);
        await store.commit({ tenantId: 'default', sessionId: id, revision: revision + 1, change: { kind: 'deleted' } });
        tell(`deleted ${id}\n`);
        id = newId('ses');
        revision = 0;
      }
      revision += 1;
      await commitScripted(store, id, revision);
      tell(`stored ${id} ${revision}\n`);
      if (revision % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });
  await Promise.all(writers);
  throw new Error('unreachable');
}

/** Waits for a reader that is behind: what was stored must be told before anything else happens. */
function tell(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}

function killingAt(failpoint: string): Interfere {
  const [operation, path = '', nth] = failpoint.split(' ');
  let left = Number(nth);
  return (call) => {
    if (call.operation === operation && call.path.includes(path) && --left === 0) process.kill(process.pid, 'SIGKILL');
    return undefined;
  };
}
