import { writeSync } from 'node:fs';
import type { Database } from '../../lib/store/sql/database.ts';
import { newId } from '../store/sample.ts';
import { commitScripted, wrongWith } from '../store/scripted-changes.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

/**
 * A process that opens a store, tells what it finds, and then commits without end, telling every acknowledgement, until
 * somebody ends it. Its lines: `found <id> <revision> <whole|broken>`, `indexes <agree|differ>`, `opened`, then
 * `deleting <id>`, `deleted <id>`, `stored <id> <revision>`.
 */
export async function commitUntilEnded(directory: string, { durable = true } = {}): Promise<never> {
  const database = embeddedDatabase(directory, { durable });
  const store = sqlStoreOn(database, directory);
  const { sessions } = await store.open(noResidents);
  for (const { id, revision } of sessions) {
    const wrong = await wrongWith(store, { id, tenantId: 'default', revision });
    tell(`found ${id} ${revision} ${wrong === undefined ? 'whole' : 'broken'}`);
  }
  tell(`indexes ${(await indexesAgree(database)) ? 'agree' : 'differ'}`);
  tell('opened');
  const writers = Array.from({ length: 8 }, async (_, index) => {
    let id = sessions[index]?.id ?? newId('ses');
    let revision = sessions[index]?.revision ?? 0;
    for (;;) {
      if (revision > 90) {
        tell(`deleting ${id}`);
        await store.commit({ tenantId: 'default', sessionId: id, revision: revision + 1, change: { kind: 'deleted' } });
        tell(`deleted ${id}`);
        id = newId('ses');
        revision = 0;
      }
      revision += 1;
      await commitScripted(store, id, revision);
      tell(`stored ${id} ${revision}`);
    }
  });
  await Promise.all(writers);
  throw new Error('unreachable');
}

function tell(line: string): void {
  writeSync(1, `${line}\n`);
}

/** Whether tables say the same as their indexes: the primary keys and the words. */
async function indexesAgree(database: Database): Promise<boolean> {
  const counts = [
    'messages WHERE position > -1000',
    'sessions WHERE id > $$$$',
    'messages WHERE words @@ $$x:*$$::tsquery',
  ];
  const ask = async (on: boolean): Promise<string> => {
    const [off, other] = on ? ['enable_seqscan', 'enable_indexscan'] : ['enable_indexscan', 'enable_seqscan'];
    const answers = await database.transaction([
      { sql: `SET LOCAL ${off} = off` },
      { sql: `SET LOCAL ${other} = on` },
      { sql: `SET LOCAL enable_bitmapscan = ${on ? 'on' : 'off'}` },
      { sql: `SET LOCAL enable_indexonlyscan = ${on ? 'on' : 'off'}` },
      ...counts.map((from) => ({ sql: `SELECT count(*)::text AS count FROM ${from}` })),
    ]);
    return JSON.stringify(answers.slice(4));
  };
  return (await ask(true)) === (await ask(false));
}
