import { searchableWords } from '../../lib/store/search-words.ts';
import type { Database } from '../../lib/store/sql/database.ts';
import { migrate, migrations } from '../../lib/store/sql/migrations.ts';
import { newId, sampleMessage, sampleRecord } from '../store/sample.ts';

const parts = Array.from({ length: 16 }, (_, part) => part);

export interface OlderSession {
  id: string;
  texts: string[];
}

/** Makes an open database what the version before sealing left: messages in the clear, their words beside them. */
export async function makeOlder(database: Database, sessions: readonly string[][]): Promise<OlderSession[]> {
  const tables = [
    'sessions',
    'messages',
    'message_words',
    'unsealed',
    'unerased',
    'service_values',
    'schema_migrations',
  ];
  await database.query({ sql: `DROP TABLE ${tables.join(', ')}` });
  await migrate(database, migrations.slice(0, 1));
  for (const part of parts)
    await database.query({ sql: `CREATE INDEX messages_words_${part} ON messages_${part} USING gin (words)` });
  const made = sessions.map((texts) => ({ id: newId('ses'), texts }));
  for (const { id, texts } of made) {
    await database.query({
      sql: `INSERT INTO sessions (id, tenant_id, revision, length, record) VALUES ($1, 'default', 1, $2, $3)`,
      values: [id, texts.length, JSON.stringify(sampleRecord(id, { title: `title of ${id}` }))],
    });
    await database.query({
      sql: `INSERT INTO messages (session_id, position, body, words)
        SELECT $1, place - 1, body, array_to_tsvector(string_to_array(words, ' '))
        FROM unnest($2::text[], $3::text[]) WITH ORDINALITY AS row (body, words, place)`,
      values: [
        id,
        texts.map((text) => JSON.stringify(sampleMessage(text))),
        texts.map((text) => searchableWords(text).join(' ')),
      ],
    });
  }
  // Which kept samples of what was said.
  await database.query({ sql: 'ANALYZE' });
  return made;
}

/** Gives it the one index of all words that an even older version had instead of one for each part. */
export async function indexOfAll(database: Database): Promise<void> {
  await database.query({ sql: `DROP INDEX ${parts.map((part) => `messages_words_${part}`).join(', ')}` });
  await database.query({ sql: 'CREATE INDEX messages_words ON messages USING gin (words)' });
}
