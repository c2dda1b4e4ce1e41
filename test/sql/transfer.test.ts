import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { SessionRecord } from '../../lib/wire/session.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { fileStore } from '../store/file-rig.ts';
import { author, sampleMessage } from '../store/sample.ts';
import { noResidents } from '../store/session-store-contract.ts';
import { sqlStore } from './sql-rig.ts';

type Driver = 'file' | 'sqlite';

const main = resolve('dist/host/main.js');
const open: Record<Driver, (directory: string) => SessionStore> = {
  file: (directory) => fileStore(directory),
  sqlite: (directory) => sqlStore(directory),
};

function run(driver: Driver, data: string, ...args: string[]) {
  const env = { PATH: process.env.PATH ?? '', SERVICE_DATA_DIR: data, SERVICE_STORAGE_DRIVER: driver };
  const cwd = tempDirectory();
  return spawnSync(process.execPath, [main, ...args], { cwd, env, encoding: 'utf8', timeout: 30_000 });
}

interface Content {
  records: Omit<SessionRecord, 'revision'>[];
  transcripts: Record<string, unknown[]>;
  images: Record<string, string | undefined>;
  mark: string | undefined;
}

/** Everything that a store holds, as plain values. */
async function contentOf(driver: Driver, data: string): Promise<Content> {
  const store = open[driver](data);
  const { sessions, findings } = await store.open(noResidents);
  assert.equal(findings, []);
  const content: Content = { records: [], transcripts: {}, images: {}, mark: await store.readMeta('mark') };
  for (const { revision: _internal, ...record } of sessions.sort((a, b) => (a.id < b.id ? -1 : 1))) {
    content.records.push(record);
    const messages = await store.readMessages(record.tenantId, record.id);
    content.transcripts[record.id] = messages;
    for (const { hash } of messages.flatMap(({ images = [] }) => images))
      content.images[`${record.id}/${hash}`] = await store.readImage(record.tenantId, record.id, hash);
  }
  await store.close();
  return content;
}

/** Sessions of two tenants with everything that is hard to keep. */
async function fill(driver: Driver, data: string): Promise<void> {
  const store = open[driver](data);
  await store.open(noResidents);
  const [plain, parent, other, empty] = [author(), author('acme'), author('acme'), author()];
  await store.commit(plain.create({ title: 'NUL \0 and \ud83d', systemPrompt: 'be\u2028brief', titled: true }));
  await store.commit(other.create({ parentId: parent.id, depth: 1, role: 'general', rootId: parent.id }));
  await store.commit(parent.create());
  await store.commit(empty.create());
  await store.commit(
    plain.update({ status: 'interrupted', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } }),
  );
  for (const text of ['a\0b\udc00', '🜁\r\n\u2028x', 'é'.repeat(200_000)]) await store.commit(plain.append(text));
  const data4 = Buffer.alloc(4 * 1024 * 1024, 7).toString('base64');
  const { hash, bytes } = await store.putImage('acme', other.id, data4);
  const withImage = sampleMessage('look', { images: [{ mimeType: 'image/png', hash, bytes }] });
  const tool = sampleMessage('', { role: 'assistant', toolCalls: [{ id: 'c', name: 'read', arguments: { a: [1] } }] });
  await store.commit(other.append(withImage, tool, 'end'));
  for (const [session, messageCount] of [
    [plain, 3],
    [other, 3],
  ] as const)
    await store.commit(session.update({ messageCount }));
  await store.writeMeta('mark', '42');
  await store.close();
}

const test = suite('moving between the drivers loses nothing');

for (const [from, to] of [
  ['file', 'sqlite'],
  ['sqlite', 'file'],
] as const)
  test(`from ${from} to ${to}, and again changes nothing`, async () => {
    const [source, target] = [tempDirectory(), tempDirectory()];
    const file = join(tempDirectory(), 'export.jsonl');
    await fill(from, source);
    const exported = run(from, source, 'export', file);
    assert.is(exported.status, 0, exported.stderr);
    assert.match(exported.stderr, /Exported 4 sessions with 6 messages and 1 images/);
    const imported = run(to, target, 'import', file);
    assert.is(imported.status, 0, imported.stderr);
    assert.equal(await contentOf(to, target), await contentOf(from, source));
    const again = run(to, target, 'import', file);
    assert.is(again.status, 0, again.stderr);
    assert.match(again.stderr, /Imported 0 sessions.*\n4 sessions were there already/s);
    assert.equal(await contentOf(to, target), await contentOf(from, source));
  });

test.run();

const damage = suite('a damaged line is named, and nothing is imported');

const exported: string[] = [];
const exportedLines = (): string[] => [...exported];

/** An export of two sessions with two messages each. */
damage.before(async () => {
  const data = tempDirectory();
  const store = fileStore(data);
  await store.open(noResidents);
  for (const name of ['one', 'two']) {
    const session = author('default', `ses_${name}`);
    await store.commit(session.create({ messageCount: 2 }));
    await store.commit(session.append(`${name} first`, `${name} second`));
  }
  await store.close();
  exported.push(...run('file', data, 'export').stdout.trimEnd().split('\n'));
});

function importOf(text: string | Buffer, ...flags: string[]) {
  const data = tempDirectory();
  const file = join(tempDirectory(), 'export.jsonl');
  writeFileSync(file, text);
  return { data, result: run('file', data, 'import', file, ...flags) };
}

const cases: [name: string, change: (lines: string[]) => void, complaint: RegExp, left: number][] = [
  [
    'a changed character',
    (lines) => replace(lines, 3, 'second', 'sEcond'),
    /^line 4: its checksum does not match$/m,
    3,
  ],
  ['half a line', (lines) => replace(lines, 3, /.{30}$/, ''), /^line 4: it is not JSON$/m, 3],
  [
    'a line too few',
    (lines) => lines.splice(3, 1),
    /^line 7: it counts 2 sessions.* and 4 messages, but 2, 0 and 3/m,
    3,
  ],
  ['the end cut off', (lines) => lines.splice(-3), /^line 6: the file ends before its last line/m, 2],
  [
    'a wrong field',
    (lines) => (lines[3] = '{"kind":"message","session":"ses_one","message":{}}'),
    /^line 4: "message\.\w+" must be/m,
    3,
  ],
  [
    'an id that is a path',
    (lines) => (lines[3] = '{"kind":"image","session":"../x","hash":"","data":""}'),
    /^line 4: "session"/m,
    3,
  ],
  ['an unknown kind', (lines) => (lines[3] = '{"kind":"massage"}'), /^line 4: "kind" must be one of/m, 3],
];

function replace(lines: string[], index: number, what: string | RegExp, by: string): void {
  lines[index] = (lines[index] ?? '').replace(what, by);
}

for (const [name, change, complaint, left] of cases)
  damage(name, async () => {
    const lines = exportedLines();
    change(lines);
    const { data, result } = importOf(`${lines.join('\n')}\n`);
    assert.is(result.status, 65, result.stderr);
    assert.match(result.stderr, complaint);
    assert.match(result.stderr, /nothing was imported/);
    assert.equal((await contentOf('file', data)).records, []);
    const skipping = importOf(`${lines.join('\n')}\n`, '--skip-bad');
    assert.is(skipping.result.status, 0, skipping.result.stderr);
    const { records, transcripts } = await contentOf('file', skipping.data);
    assert.is(Object.values(transcripts).flat().length, left);
    for (const { id, messageCount } of records) assert.is(messageCount, transcripts[id]?.length);
  });

damage('bytes that are no text', async () => {
  const lines = exportedLines();
  const bytes = Buffer.from(lines.join('\n'));
  bytes[bytes.indexOf('one second')] = 0xff;
  const { result } = importOf(bytes);
  assert.is(result.status, 65);
  assert.match(result.stderr, /^line 4: its checksum does not match$/m);
});

damage('a session that is there already and not the same', async () => {
  const lines = exportedLines();
  const { data, result } = importOf(lines.join('\n'));
  assert.is(result.status, 0, result.stderr);
  const store = fileStore(data);
  const { sessions } = await store.open(noResidents);
  const one = sessions.find(({ id }) => id === 'ses_one');
  const change = { kind: 'updated', fields: { title: 'changed' } } as const;
  await store.commit({ tenantId: 'default', sessionId: 'ses_one', revision: (one?.revision ?? 0) + 1, change });
  await store.close();
  const file = join(tempDirectory(), 'export.jsonl');
  writeFileSync(file, lines.join('\n'));
  const refused = run('file', data, 'import', file);
  assert.is(refused.status, 65);
  assert.match(refused.stderr, /session ses_one exists already, and is not the same/);
});

damage('a directory that a server has is left alone', async () => {
  const data = tempDirectory();
  const store = fileStore(data);
  await store.open(noResidents);
  const file = join(tempDirectory(), 'export.jsonl');
  writeFileSync(file, exportedLines().join('\n'));
  for (const command of ['export', 'import'] as const) {
    const refused = run('sqlite', data, command, file);
    assert.is(refused.status, 78, refused.stderr);
    assert.match(refused.stderr, /is in use by process \d+/);
  }
  await store.close();
});

damage('wrong calls are explained', () => {
  const data = tempDirectory();
  assert.is(run('file', data, 'import').status, 64);
  assert.is(run('file', data, 'import', '/no/such/file').status, 66);
  assert.is(run('file', join(data, 'none'), 'export').status, 78);
  assert.is(run('file', data, 'export', 'one', 'two').status, 64);
});

damage.run();
