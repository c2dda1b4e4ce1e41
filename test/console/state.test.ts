import * as fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { mergeDeltas, newerThan } from '../../public/service/merge-deltas.ts';
import { emptyConversation, fromPage, reduce } from '../../public/state/conversation.ts';
import { approvalsBelow, emptyDirectory, fromLists, reduceDirectory } from '../../public/state/directory.ts';
import { duration } from '../../public/state/format.ts';
import { imageProblem } from '../../public/state/image-budget.ts';
import { toItems } from '../../public/state/items.ts';
import { links, parseRoute } from '../../public/state/route.ts';
import { groupSessions } from '../../public/state/session-tree.ts';

const test = suite('The console: its state, without a browser');
const at = '2026-01-01T00:00:00.000Z';
const sessionId = 'ses_1';
const envelope = (seq: number, event: SessionEvent): ServerEventEnvelope => ({ seq, at, event });
const delta = (seq: number, text: string, messageId = 'm') =>
  envelope(seq, { type: 'message.delta', sessionId, messageId, channel: 'text', delta: text });
const message = (id: string, fields: object = {}) => ({
  id,
  role: 'assistant' as const,
  content: id,
  createdAt: at,
  ...fields,
});
const usage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 };
const summary = (id: string, fields: Partial<SessionSummary> = {}): SessionSummary => ({
  id,
  title: id,
  createdAt: at,
  updatedAt: at,
  status: 'idle',
  model: 'm',
  messageCount: 0,
  workspace: '/w',
  usage,
  ...fields,
});

test('merged deltas say the same as single ones, from whatever point on', () => {
  const texts = fc.array(fc.tuple(fc.string({ maxLength: 4 }), fc.constantFrom('a', 'b')), { maxLength: 20 });
  fc.assert(
    fc.property(texts, fc.nat(25), (parts, known) => {
      const single = parts.map(([text, id], index) => delta(index + 1, text, id));
      const textOf = (envelopes: readonly ServerEventEnvelope[], id: string) =>
        envelopes
          .map(({ event }) => (event.type === 'message.delta' && event.messageId === id ? event.delta : ''))
          .join('');
      const merged = mergeDeltas(single).flatMap((each) => newerThan(each, known) ?? []);
      const expected = single.filter(({ seq }) => seq > known);
      for (const id of ['a', 'b']) assert.is(textOf(merged, id), textOf(expected, id));
    }),
  );
});

test('deltas are not merged across other events, whose order stays', () => {
  const notice = envelope(2, { type: 'notice', level: 'info', message: 'x', sessionId });
  const merged = mergeDeltas([delta(1, 'a'), notice, delta(3, 'b'), delta(4, 'c')]);
  assert.equal(
    merged.map(({ seq }) => seq),
    [1, 2, 4],
  );
});

test('events may come again after a snapshot that includes them: the result is the same', () => {
  const events: SessionEvent[] = [
    { type: 'run.started', sessionId, runId: 'r' },
    { type: 'message.started', sessionId, message: message('a') },
    {
      type: 'message.completed',
      sessionId,
      message: message('a', { toolCalls: [{ id: 'c', name: 't', arguments: {} }] }),
    },
    { type: 'tool.started', sessionId, call: { id: 'c', name: 't', arguments: {} } },
    { type: 'tool.finished', sessionId, result: { callId: 'c', name: 't', ok: true, content: 'fine' } },
    { type: 'message.completed', sessionId, message: message('b', { role: 'tool', toolCallId: 'c' }) },
    { type: 'notice', sessionId, level: 'warn', message: 'slow' },
    { type: 'run.finished', sessionId, runId: 'r', status: 'completed', usage },
  ];
  const envelopes = events.map((event, index) => envelope(index + 1, event));
  const once = envelopes.reduce(reduce, emptyConversation);
  assert.equal(envelopes.reduce(reduce, once), once);
  assert.is(once.live, undefined);
  assert.equal(
    once.messages.map(({ id }) => id),
    ['a', 'b'],
  );
});

test('unknown events change nothing, a rewind replaces everything, a gap asks for a new snapshot', () => {
  const start = fromPage({ messages: [message('a'), message('b')], more: false, lastSeq: 5 });
  const unknown = { type: 'later.invention', sessionId } as unknown as SessionEvent;
  assert.is(reduce(start, envelope(6, unknown)), start);
  const rewound = reduce(
    start,
    envelope(7, { type: 'session.rewound', sessionId, messageId: 'b', messages: [message('a')] }),
  );
  assert.equal(
    rewound.messages.map(({ id }) => id),
    ['a'],
  );
  assert.is(reduce(start, envelope(8, { type: 'stream.gap', reason: 'evicted', resumedFrom: 1 })).stale, true);
});

test('neighbouring calls are one group across messages; text in between starts another', () => {
  const calls = (...ids: string[]) => ({ content: '', toolCalls: ids.map((id) => ({ id, name: 't', arguments: {} })) });
  const messages = [
    message('q', { role: 'user' }),
    message('a', calls('1', '2')),
    message('r', { role: 'tool', toolCallId: '1', content: 'ok', meta: { durationMs: 7 } }),
    message('b', calls('3')),
    message('c', { ...calls('4'), content: 'between' }),
    message('h', { hidden: true, ...calls('5') }),
  ];
  const items = toItems({ ...emptyConversation, messages });
  assert.equal(
    items.map((item) =>
      item.kind === 'tools' ? item.calls.map(({ call, state }) => `${call.id} ${state}`) : item.kind,
    ),
    ['user', ['1 done', '2 unfinished', '3 unfinished'], 'assistant', ['4 unfinished']],
  );
});

test('an approval of a grandchild counts for its parents, and is gone when it is resolved or its run ends', () => {
  const lists = {
    sessions: [summary('root'), summary('child', { parentId: 'root' }), summary('leaf', { parentId: 'child' })],
    approvals: [],
  };
  const approval = {
    id: 'apr',
    call: { id: 'c', name: 'shell', arguments: {} },
    reason: '',
    requestedAt: at,
    expiresAt: at,
    sessionId: 'leaf',
    rootSessionId: 'root',
  };
  const start = fromLists(emptyDirectory, lists);
  const asked = reduceDirectory(
    start,
    envelope(1, { type: 'approval.requested', sessionId: 'leaf', approval }),
    undefined,
  );
  for (const id of ['root', 'child', 'leaf']) assert.is(approvalsBelow(asked, id).length, 1, id);
  assert.is(asked.sessions.get('leaf')?.activity?.phase, 'approval');
  const [group] = groupSessions(asked, { query: '', today: new Date(at) });
  assert.equal([group?.title, group?.nodes[0]?.children[0]?.children[0]?.session.id], ['Needs you', 'leaf']);
  const resolved = { type: 'approval.resolved', sessionId: 'leaf', approvalId: 'apr', approved: true } as const;
  assert.equal(reduceDirectory(asked, envelope(2, resolved), undefined).approvals, []);
  const over = reduceDirectory(
    asked,
    envelope(3, { type: 'run.failed', sessionId: 'leaf', runId: 'r', error: '' }),
    'root',
  );
  assert.equal([over.approvals.length, over.unread.has('leaf')], [0, true]);
});

test('every address leads back to its route', () => {
  const path = fc.array(
    fc.string({ minLength: 1, maxLength: 8 }).filter((part) => !part.includes('/')),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(path, fc.integer({ min: 1, max: 9_999 }), (parts, line) => {
      const route = parseRoute(links.files('ses_1', parts.join('/'), line));
      assert.equal(route, { name: 'session', id: 'ses_1', tab: 'files', path: parts.join('/'), line });
    }),
  );
  assert.equal(parseRoute('#/s/x/m/y'), { name: 'session', id: 'x', tab: 'chat', messageId: 'y' });
  assert.is(parseRoute('#/what/ever').name, 'unknown');
  assert.is(parseRoute('').name, 'home');
});

test('images are budgeted as they are sent: what fits the images rule may not fit the body', () => {
  const image = (megabytes: number) => ({
    name: 'i',
    data: 'A'.repeat(Math.floor((megabytes * 1_048_576 * 4) / 3 / 4) * 4),
  });
  assert.is(imageProblem([image(3.5), image(3.5)]), undefined);
  assert.match(imageProblem([image(3.5), image(3.5), image(3.5)]) ?? '', /too large together/);
  assert.match(imageProblem([image(4.1)]) ?? '', /larger than 4 MB/);
  assert.match(imageProblem(Array(7).fill(image(0.1))) ?? '', /At most 6/);
});

test('older pages stay when the newest is read again, unless a compaction replaced them', () => {
  const newest = { messages: [message('c'), message('d')], more: true, lastSeq: 1 };
  const whole = { ...fromPage(newest), messages: ['a', 'b', 'c', 'd'].map((id) => message(id)), more: false };
  const ids = (conversation: { messages: readonly { id: string }[] }) => conversation.messages.map(({ id }) => id);
  const later = { messages: [message('c'), message('d'), message('e')], more: true, lastSeq: 2 };
  assert.equal(ids(fromPage(later, whole)), ['a', 'b', 'c', 'd', 'e']);
  assert.is(fromPage(later, whole).more, false);
  assert.equal(ids(fromPage(later, { ...whole, stale: true })), ['c', 'd', 'e']);
  assert.equal(ids(fromPage({ ...later, more: false }, whole)), ['c', 'd', 'e']);
  const elsewhere = { messages: [message('x')], more: true, lastSeq: 3 };
  assert.equal(ids(fromPage(elsewhere, whole)), ['x']);
});

test('durations read like speech', () => {
  assert.equal([0, 420, 3_140, 14_200, 185_000, 7_260_000].map(duration), [
    '0 ms',
    '0.4 s',
    '3.1 s',
    '14 s',
    '3 min 5 s',
    '2 h 1 min',
  ]);
});

test.run();
