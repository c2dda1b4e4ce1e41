import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Database, databaseLost } from '../../lib/store/sql/database.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually, within } from '../helpers/within.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { embeddedDatabase, sqlStore, sqlStoreOn } from './sql-rig.ts';

const test = suite('a change whose answer is lost is looked up, and nobody is told what is not known');

for (const arrived of [true, false])
  test(`a batch whose answer is lost is stored once (it had ${arrived ? '' : 'not '}arrived)`, async () => {
    const directory = tempDirectory();
    const database = losingAnswers(embeddedDatabase(directory), { arrived });
    const store = sqlStoreOn(database, directory);
    await store.open(noResidents);
    const [session, gone] = [author(), author()];
    for (const each of [session, gone]) await store.commit(each.create());
    database.loseNext();
    await Promise.all([store.commit(session.append('once')), store.commit(gone.remove())]);
    database.loseNext();
    await store.commit(session.append('twice'));
    assert.equal(texts(await store.readMessages('default', session.id)), ['once', 'twice']);
    await rejects(store.readMessages('default', gone.id));
    await store.close();
  });

test('a batch is not taken for stored because a session that began and ended in it is not there', async () => {
  const directory = tempDirectory();
  const database = losingAnswers(embeddedDatabase(directory), { arrived: false });
  const store = sqlStoreOn(database, directory);
  await store.open(noResidents);
  const [gone, brief] = [author(), author()];
  await store.commit(gone.create());
  database.loseNext();
  await Promise.all([gone.remove(), brief.create(), brief.remove()].map((commit) => store.commit(commit)));
  await store.close();
  const again = sqlStore(directory);
  assert.equal((await again.open(noResidents)).sessions, []);
  await again.close();
});

test('a close does not wait for a database that hangs with a change under way', async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory, { statementMs: 1_000 });
  let hanging = false;
  const store = sqlStoreOn(
    {
      ...database,
      async transaction(statements) {
        if (!hanging) return database.transaction(statements);
        const forever = 'SELECT count(*) FROM generate_series(1, 10000000000)';
        return database.transaction([...statements, { sql: forever }]);
      },
      async query(statement) {
        return hanging ? new Promise(() => undefined) : database.query(statement);
      },
    },
    directory,
  );
  await store.open(noResidents);
  const session = author();
  await store.commit(session.create());
  hanging = true;
  const lastWord = rejects(store.commit(session.append('never known')));
  await eventually(5_000, () => store.inDoubt?.() === true);
  store.giveUp?.();
  assert.is((await within(4_000, lastWord)).name, 'StoreInDoubt');
  await within(4_000, store.close());
});

test('while it stays away the store says so, refuses what is new, and can be closed', async () => {
  const directory = tempDirectory();
  const database = embeddedDatabase(directory);
  let away = false;
  const unless = <T>(work: () => Promise<T>): Promise<T> => (away ? Promise.reject(databaseLost('away')) : work());
  const store = sqlStoreOn(
    {
      ...database,
      transaction: (statements) => unless(() => database.transaction(statements)),
      query: (statement) => unless(() => database.query(statement)),
    },
    directory,
  );
  await store.open(noResidents);
  const [session, other] = [author(), author()];
  for (const each of [session, other]) await store.commit(each.create());
  away = true;
  const inDoubt = store.commit(session.append('in doubt'));
  await eventually(2_000, () => store.trouble?.() === 'unavailable');
  away = false;
  await within(10_000, inDoubt);
  assert.is(store.trouble?.(), undefined);
  away = true;
  const lastWord = rejects(store.commit(session.append('never known')));
  await Promise.resolve();
  const behind = rejects(store.commit(session.append('behind it')));
  await eventually(2_000, () => store.trouble?.() === 'unavailable');
  await new Promise((resolve) => setTimeout(resolve, 2_100));
  assert.is((await rejects(store.commit(other.append('new')))).name, 'NotStored');
  await within(5_000, store.close());
  assert.is((await within(1_000, lastWord)).name, 'StoreInDoubt');
  assert.match((await lastWord).message, 'not known whether the change was stored');
  assert.is((await within(1_000, behind)).name, 'NotStored');
  const again = sqlStore(directory);
  await again.open(noResidents);
  assert.equal(texts(await again.readMessages('default', session.id)), ['in doubt']);
  await again.close();
});

test.run();

/** A database that loses the answer of the transaction after `loseNext`; `arrived`: the statements were run all the same. */
function losingAnswers(database: Database, { arrived }: { arrived: boolean }): Database & { loseNext(): void } {
  let losing = false;
  return {
    ...database,
    loseNext() {
      losing = true;
    },
    async transaction(statements) {
      if (!losing) return database.transaction(statements);
      losing = false;
      if (arrived) await database.transaction(statements);
      throw databaseLost('the answer did not come');
    },
  };
}
