import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionCommit } from '../../lib/store/change.ts';
import { batchStatements } from '../../lib/store/sql/batch-statements.ts';
import type { KnownSession } from '../../lib/store/sql/known-session.ts';
import { author } from '../store/sample.ts';

const test = suite('A batch of commits becomes as few statements as keep its order');

/** What a batch writes, after other batches have made the sessions known. */
function kinds(batch: SessionCommit[], ...earlier: SessionCommit[][]): string[] {
  const known = new Map<string, KnownSession>();
  for (const each of earlier)
    for (const [id, session] of batchStatements(each, known).after) if (session) known.set(id, session);
  return batchStatements(batch, known).statements.map(({ sql }) =>
    (sql.match(/INSERT INTO \w+|DELETE FROM \w+/g) ?? []).join(', '),
  );
}

test('messages of many sessions and their records are one statement, numbered through', () => {
  const [one, two] = [author(), author()];
  const earlier = [one.create(), two.create()];
  const batch = [one.append('a'), two.append('b', 'c'), one.append('d')];
  assert.equal(kinds(batch, earlier), ['INSERT INTO messages, INSERT INTO message_words, INSERT INTO sessions']);
  const known = new Map<string, KnownSession>();
  for (const [id, session] of batchStatements(earlier, known).after) if (session) known.set(id, session);
  const [{ sql, values = [] } = { sql: '' }] = batchStatements(batch, known).statements;
  const used = new Set(Array.from(sql.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  assert.equal(
    [...used].sort((a, b) => a - b),
    Array.from({ length: values.length }, (_, at) => at + 1),
  );
  assert.equal(values[0], [one.id, two.id, two.id, one.id]);
  assert.equal(values[3], values[0]);
  assert.equal(values[6], [one.id, two.id]);
});

test('no message is in a statement as it was said', () => {
  const one = author();
  const { statements } = batchStatements([one.create(), one.append('Plant the tulips.')], new Map());
  const [{ values = [] } = {}] = statements;
  assert.not.match(JSON.stringify(values), /Plant the tulips/);
  assert.equal(values[5], ['plant the tulips'], 'but its words are, for the index');
});

test('the secret of a session is made once', () => {
  const one = author();
  const known = new Map<string, KnownSession>();
  for (const batch of [[one.create()], [one.append('a'), one.update({ title: 'x' })], [one.truncate(0)]])
    for (const [id, session] of batchStatements(batch, known).after) {
      assert.is(session?.secret, known.get(id)?.secret ?? session?.secret);
      if (session) known.set(id, session);
    }
  assert.is(Buffer.from(known.get(one.id)?.secret ?? '', 'base64').length, 32);
});

test('sessions alone are one statement', () => {
  const one = author();
  assert.equal(kinds([one.create(), one.update({ title: 'x' })]), ['INSERT INTO sessions']);
});

test('what removes messages stands between those before and those after it', () => {
  const one = author();
  const earlier = [one.create(), one.append('a', 'b')];
  assert.equal(kinds([one.append('c'), one.truncate(1), one.append('d')], earlier), [
    'INSERT INTO messages, INSERT INTO message_words',
    'DELETE FROM message_words, DELETE FROM messages',
    'INSERT INTO messages, INSERT INTO message_words, INSERT INTO sessions',
  ]);
});

test('a session that ends in the batch leaves nothing of it behind', () => {
  const [one, two] = [author(), author()];
  const earlier = [one.create(), two.create()];
  assert.equal(kinds([one.append('a'), two.append('b'), one.remove()], earlier), [
    'INSERT INTO messages, INSERT INTO message_words, INSERT INTO sessions',
    'DELETE FROM message_words, DELETE FROM messages',
    'DELETE FROM sessions, INSERT INTO unerased',
  ]);
});

test.run();
