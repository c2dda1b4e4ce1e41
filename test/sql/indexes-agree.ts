import type { Database } from '../../lib/store/sql/database.ts';

/** Whether tables say the same as their indexes: the primary keys and the words. */
export async function indexesAgree(database: Database): Promise<boolean> {
  const counts = [
    'messages WHERE position > -1000',
    'sessions WHERE id > $$$$',
    'message_words WHERE position > -1000',
    'message_words WHERE words @@ $$x:*$$::tsquery',
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
