import { writeSync } from 'node:fs';
import { type Clock, systemClock } from '../../lib/base/clock.ts';
import { applyToMessages, type SessionChange } from '../../lib/store/change.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { type Interfere, watchedFiles } from './faulty-files.ts';
import { fileStore } from './file-rig.ts';
import { newId, sampleMessage, sampleRecord } from './sample.ts';
import { noResidents } from './session-store-contract.ts';

/** Timers that run 100 times as fast, so that short lives see snapshots, purges and checkpoints too. */
const fastClock: Clock = {
  now: systemClock.now,
  monotonic: () => systemClock.monotonic() * 100,
  after: (ms, fn) => systemClock.after(ms / 100, fn),
};

/** What every session does at each revision: known from the outside, so that a transcript can be checked to the letter. */
export function changeAt(id: string, revision: number): SessionChange {
  if (revision === 1) return { kind: 'created', session: sampleRecord(id) };
  if (revision % 13 === 0) return { kind: 'truncated', keep: 3, fields: {} };
  if (revision % 11 === 0) return { kind: 'compacted', removed: 2, summary: fixed(id, revision, 0), fields: {} };
  if (revision % 7 === 0) return { kind: 'updated', fields: { title: `Revision ${revision}` } };
  return { kind: 'appended', messages: [fixed(id, revision, 0), fixed(id, revision, 1)], fields: {} };
}

export function transcriptAt(id: string, revision: number): string[] {
  const messages: StoredMessage[] = [];
  for (let at = 2; at <= revision; at++) applyToMessages(messages, changeAt(id, at));
  return messages.map(({ content }) => content);
}

function fixed(id: string, revision: number, part: number): StoredMessage {
  return sampleMessage(`${id} ${revision}.${part} ${'x'.repeat((revision * 37) % 400)}`, {
    id: `msg_${revision}_${part}`,
  });
}

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
      await store.commit({ tenantId: 'default', sessionId: id, revision, change: changeAt(id, revision) });
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
