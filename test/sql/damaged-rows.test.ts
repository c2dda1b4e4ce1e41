import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { author, texts } from '../store/sample.ts';
import { noResidents, rejects } from '../store/session-store-contract.ts';
import { embeddedDatabase, sqlStoreOn } from './sql-rig.ts';

const test = suite('a transcript that is damaged in the database is never read as another one');

for (const [what, harm] of [
  ['a message that its secret does not open', "UPDATE messages SET sealed = decode('00ff', 'hex') WHERE position = 1"],
  ['a message that is not there', 'DELETE FROM messages WHERE position = 1'],
] as const)
  test(`${what}: it cannot be read, others can, and it can be deleted`, async () => {
    const directory = tempDirectory();
    const database = embeddedDatabase(directory);
    const store = sqlStoreOn(database, directory);
    await store.open(noResidents);
    const [damaged, whole] = [author(), author()];
    for (const each of [damaged, whole]) await store.commit(each.create());
    for (const each of [damaged, whole]) await store.commit(each.append('first', 'second'));
    await database.query({ sql: `${harm} AND session_id = $1`, values: [damaged.id] });
    const error = await rejects(store.readMessages('default', damaged.id));
    assert.is(error.name, 'TranscriptUnreadable');
    assert.match(error.message, damaged.id);
    assert.equal(texts(await store.readMessages('default', whole.id)), ['first', 'second']);
    await store.commit(damaged.remove());
    await store.close();
  });

test.run();
