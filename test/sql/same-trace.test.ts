import { existsSync } from 'node:fs';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { pixel } from '../helpers/pixel.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { watch } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { fileStore } from '../store/file-rig.ts';
import { sqlStore } from './sql-rig.ts';

/** SQL_TRACE_RUNS runs more. */
const runs = Number(process.env.SQL_TRACE_RUNS ?? 3);

type Command =
  | { kind: 'create'; title: string }
  | { kind: 'send'; session: number; content: string; image: boolean }
  | { kind: 'rename'; session: number; title: string }
  | { kind: 'rewind'; session: number; message: number }
  | { kind: 'delete'; session: number }
  | { kind: 'search'; q: string }
  | { kind: 'crash' }
  | { kind: 'restart' };

const text = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: 'binary' }),
  fc.constantFrom(
    'a\0b',
    'x\ud83d',
    '\udc00y',
    '🜁👩‍👩‍👧‍👦𝔘',
    'line\r\n\u2028end',
    'שלום',
    '{"a":"\\u0000"}',
    "it's $1 \\ %",
  ),
  fc.constant('é'.repeat(200_000)),
);
const place = fc.nat({ max: 9 });
const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('create' as const), title: text.map((each) => `t${each.slice(0, 80)}`) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      session: place,
      content: text.map((each) => `m ${each}`.slice(0, 200_000)),
      image: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      session: place,
      title: text.map((each) => `r${each.slice(0, 80)}`),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('rewind' as const), session: place, message: place }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), session: place }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('search' as const),
      q: fc.constantFrom('m', 'done', 'line', 'שלום', 't'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

/** A service on one driver, which can be crashed. */
interface Subject {
  driver: string;
  app: TestApp;
  data: string;
  sessions: string[];
  /** Names for ids, in the order in which they appear. */
  names: Map<string, string>;
  open: (data: string) => Promise<TestApp>;
}

/** The first one says what the others must answer. */
const drivers: readonly [name: string, storeAt: (data: string) => SessionStore][] = [
  ['file', fileStore],
  ['sql', sqlStore],
];

const test = suite('all drivers give the same answers, whatever is done and however often they crash');

test('random commands', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 8, maxLength: 14, size: 'max' }), async (commands) => {
      const workspace = tempDirectory();
      const subjects: Subject[] = [];
      try {
        for (const [name, storeAt] of drivers) subjects.push(await begin(name, storeAt, workspace));
        const [first, ...others] = subjects as [Subject, ...Subject[]];
        // A session that is in memory hides what its store has forgotten: at the end they are read back.
        for (const each of [...commands, { kind: 'crash' } as const]) {
          const expected = await play(first, each);
          for (const other of others) {
            const answer = await play(other, each);
            const difference = `${around(first, expected, answer)}\n${around(other, answer, expected)}`;
            assert.ok(answer === expected, `after ${JSON.stringify(each).slice(0, 200)}:\n${difference}`);
          }
        }
      } finally {
        for (const { app, data } of subjects) {
          await app.close();
          await rm(data, { recursive: true, force: true });
        }
      }
    }),
    {
      numRuns: runs,
      seed: Number(process.env.SQL_TRACE_SEED ?? Date.now() % 1e9),
      endOnFailure: true,
      includeErrorInReport: true,
    },
  );
});

test.run();

async function begin(driver: string, storeAt: (data: string) => SessionStore, workspace: string): Promise<Subject> {
  const open = (data: string): Promise<TestApp> =>
    createTestApp({ store: storeAt(data), models: [scriptedModel()], settings: { agent: { workspace } } });
  const data = tempDirectory();
  return { driver, app: await open(data), data, sessions: [], names: new Map(), open };
}

/** Does one thing and says what can be seen of it: the answer, then every session as it is now. */
async function play(subject: Subject, each: Command): Promise<string> {
  const answer = await within(60_000, carryOut(subject, each), each.kind);
  const { sessions } = await subject.app.call<{ sessions: SessionSummary[] }>('GET', '/api/sessions', {});
  const details = [];
  for (const id of subject.sessions) details.push(await ask(subject, 'GET', `/api/sessions/${id}`));
  return named(subject, JSON.stringify({ answer, sessions: sessions.map(({ id }) => id).sort(), details }));
}

async function carryOut(subject: Subject, each: Command): Promise<unknown> {
  const id = 'session' in each ? subject.sessions[each.session % Math.max(1, subject.sessions.length)] : undefined;
  const path = `/api/sessions/${id ?? 'ses_none'}`;
  if (each.kind === 'create') {
    const answer = await ask(subject, 'POST', '/api/sessions', { title: each.title });
    const created = answer.body as { session?: { id: string } };
    if (created.session) subject.sessions.push(created.session.id);
    return answer;
  }
  if (each.kind === 'send') {
    const images = each.image ? [{ mimeType: 'image/png', data: pixel }] : [];
    if (id === undefined || !(await subject.app.fetch(path)).ok)
      return ask(subject, 'POST', `${path}/messages`, { content: 'x' });
    const watched = await watch(subject.app, id);
    const answer = await ask(subject, 'POST', `${path}/messages`, { content: each.content, images });
    const events = answer.status === 202 ? await watched.until('run.finished') : [];
    await watched.stream.close();
    return { answer, events: events.map(({ type }) => type) };
  }
  if (each.kind === 'rename') return ask(subject, 'PATCH', path, { title: each.title });
  if (each.kind === 'rewind') {
    const { body } = await ask(subject, 'GET', path);
    const messages = (body as { session?: { messages: { id: string; role: string }[] } })?.session?.messages ?? [];
    // Every tenth time one that can't be rewound to.
    const targets = messages.filter(({ role }) => each.message === 9 || role === 'user');
    const messageId = targets[each.message % Math.max(1, targets.length)]?.id ?? 'msg_none';
    return ask(subject, 'POST', `${path}/rewind`, { messageId });
  }
  if (each.kind === 'delete') return ask(subject, 'DELETE', path);
  if (each.kind === 'search') return ask(subject, 'GET', `/api/search?q=${encodeURIComponent(each.q)}`);
  const old = subject.app;
  const data = each.kind === 'crash' ? tempDirectory() : subject.data;
  // What is on disk while nothing is written is what a crash would leave, without what a clean end adds. The file driver
  // may be looked at in the middle of its upkeep; a database is a whole only between two of its own steps.
  if (each.kind === 'crash') {
    if (existsSync(join(subject.data, 'service.db'))) await old.app.store.flush();
    await copyInto(data, subject.data);
  }
  await old.close();
  // A database is 600 files: dozens of them, all removed at the end of the process, would keep a busy disk for a while.
  if (data !== subject.data) await rm(subject.data, { recursive: true, force: true });
  subject.data = data;
  subject.app = await subject.open(data);
  return each.kind;
}

/** Again when something was removed while it was copied. */
async function copyInto(target: string, source: string): Promise<void> {
  const filter = (from: string): boolean => !from.endsWith('.sock') && !from.endsWith('.tmp');
  for (let left = 5; ; left--) {
    try {
      return await cp(source, target, { recursive: true, filter });
    } catch (error) {
      if (left === 0) throw error;
      await rm(target, { recursive: true, force: true });
    }
  }
}

async function ask(
  { app }: Subject,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: unknown }> {
  const response = await app.fetch(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const answer = await response.text();
  return { status: response.status, body: answer === '' ? undefined : JSON.parse(answer) };
}

/** Ids by their order of appearance; times and event numbers are left out. */
function named({ names }: Subject, trace: string): string {
  return trace
    .replace(/"(createdAt|updatedAt)":"[^"]+"/g, '"$1":""')
    .replace(/"lastSeq":\d+/g, '"lastSeq":0')
    .replace(/\b(ses|msg|run)_[0-9A-Z]{26}\b/g, (id, kind) => {
      if (!names.has(id)) names.set(id, `${kind}_${names.size}`);
      return names.get(id) ?? '';
    });
}

/** What a driver said around the first place at which another one said something else. */
function around({ driver }: Subject, trace: string, other: string): string {
  let at = 0;
  while (at < trace.length && trace[at] === other[at]) at += 1;
  return `${driver}: ${trace.slice(Math.max(0, at - 200), at + 200)}`;
}
