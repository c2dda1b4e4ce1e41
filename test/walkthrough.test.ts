// A tour of the service, as a newcomer takes it: this repository is the workspace, the demo model works in it, and two
// clients watch over real HTTP. Each chapter goes on where the one before ended.
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionEvent } from '../lib/wire/event.ts';
import type { ChatMessage } from '../lib/wire/message.ts';
import { type EventStream, openEventStream } from './helpers/event-stream.ts';
import { type RunningService, startService } from './helpers/running-service.ts';
import { only, types } from './helpers/with-app.ts';
import { eventually, within } from './helpers/within.ts';

const tour = suite('A walk through the service');

let service: RunningService;
let sessionId: string;
const leaving = new AbortController();
/** What a browser's EventSource would see. */
let watching: EventStream;

tour.after(async () => {
  leaving.abort();
  await watching?.close();
  await service?.kill();
});

const seen = async (type: SessionEvent['type']) =>
  (await watching.until(type, { ms: 15_000 })).map(({ event }) => event);
const watch = async () => {
  watching = await openEventStream(`${service.url}/api/sessions/${sessionId}/events`);
};

tour('1. It starts with nothing configured but where to work, and says where it is', async () => {
  service = await startService({ settings: { agent: { workspace: process.cwd() } } });
  assert.match(service.output(), `is ready: ${service.url}`);
  const { status, protocol, sessions } = await service.client.health();
  assert.equal([status, protocol, sessions], ['ok', '1.0', 0]);
  const { models, tools } = await service.client.bootstrap();
  assert.equal(
    models.map(({ id }) => id),
    ['demo'],
  );
  for (const name of ['list_files', 'search_files', 'read_file'])
    assert.is(tools.find((tool) => tool.name === name)?.permission ?? 'auto', 'auto');
});

tour('2. A session is created: idle, empty, in this repository', async () => {
  const { session } = await service.client.createSession({ title: 'Tour' });
  assert.equal(
    [session.status, session.messageCount, session.messages, session.model, session.workspace],
    ['idle', 0, [], 'demo', process.cwd()],
  );
  sessionId = session.id;
});

tour('3. One message makes the agent list, search and read; every step is an event', async () => {
  await watch();
  // From the beginning of the process, as a client that comes late would ask.
  const again: number[] = [];
  const following = (async () => {
    for await (const { seq } of service.client.events({ sessionId, after: 0, signal: leaving.signal })) again.push(seq);
  })();

  const { runId } = await service.client.sendMessage(sessionId, {
    content: 'list files, then search for "openWalkthroughHandle" in test, then read package.json',
  });
  const events = await seen('run.finished');

  assert.equal(
    only(events, 'tool.started').map(({ call }) => call.name),
    ['list_files', 'search_files', 'read_file'],
  );
  const [listing, found, file] = only(events, 'tool.finished').map(({ result }) => result);
  assert.match(listing?.content ?? '', 'README.md');
  assert.match(found?.content ?? '', 'walkthrough.test.ts');
  const { description } = JSON.parse(readFileSync('package.json', 'utf8')) as { description: string };
  assert.match(file?.content ?? '', description);

  const order = types(events).filter((type) => type !== 'message.delta');
  assert.equal(order.slice(0, 4), ['message.completed', 'session.updated', 'run.started', 'message.started']);
  assert.equal(order.slice(-2), ['session.updated', 'run.finished']);
  const [end] = only(events, 'run.finished');
  assert.equal([end?.runId, end?.status], [runId, 'completed']);
  assert.ok((end?.usage?.totalTokens ?? 0) > 0);

  const last = watching.envelopes.at(-1)?.seq ?? 0;
  await eventually(5_000, () => again.at(-1) === last);
  leaving.abort();
  await within(5_000, following);
  assert.equal(
    again.slice(-watching.envelopes.length),
    watching.envelopes.map(({ seq }) => seq),
    'the client of the package and the EventSource saw the same',
  );
});

tour('4. What was streamed is what is stored', async () => {
  const { session } = await service.client.readSession(sessionId);
  assert.is(session.status, 'idle');
  assert.equal(
    session.messages.map(({ role }) => role),
    ['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
  );
  const answer = session.messages.at(-1);
  const streamed = watching.envelopes.flatMap(({ event }) =>
    event.type === 'message.delta' && event.messageId === answer?.id && event.channel === 'text' ? [event.delta] : [],
  );
  assert.is(streamed.join(''), answer?.content);
});

tour('5. A run that takes too long is cancelled; the session takes the next message', async () => {
  await service.client.sendMessage(sessionId, { content: 'wait 60' });
  await seen('message.delta');
  assert.equal(await service.client.cancelRun(sessionId), { cancelled: true });
  assert.is(only(await seen('run.finished'), 'run.finished')[0]?.status, 'cancelled');
  assert.equal(await service.client.cancelRun(sessionId), { cancelled: false });
  assert.is((await service.client.readSession(sessionId)).session.status, 'cancelled');
});

let stored: ChatMessage[];

tour('6. The process is killed in the middle of a run', async () => {
  await service.client.sendMessage(sessionId, { content: 'read LICENSE, then wait 2' });
  await seen('tool.finished');
  await seen('message.delta');
  stored = watching.envelopes.flatMap(({ event }) => (event.type === 'message.completed' ? [event.message] : []));
  await service.kill();
  await watching.ended;
});

tour('7. It is started again and has everything; the run that was cut off is interrupted', async () => {
  service = await service.restart();
  const { session } = await service.client.readSession(sessionId);
  assert.equal([session.title, session.status], ['Tour', 'interrupted']);
  const kept = new Map(session.messages.map((message) => [message.id, message]));
  for (const message of stored) assert.is(kept.get(message.id)?.content, message.content);
});

tour('8. It is resumed: what has a result is not done again, and the run comes to its end', async () => {
  await watch();
  const { runId } = await service.client.resumeSession(sessionId);
  const events = await seen('run.finished');
  assert.equal(only(events, 'tool.started'), []);
  assert.equal(only(events, 'run.finished')[0]?.runId, runId);
  assert.is(only(events, 'run.finished')[0]?.status, 'completed');
  const { session } = await service.client.readSession(sessionId);
  assert.is(session.status, 'idle');
  assert.match(session.messages.at(-1)?.content ?? '', 'read_file answered');
});

tour('9. It is deleted, and stopped as an operator stops it', async () => {
  await service.client.deleteSession(sessionId);
  await watching.ended;
  assert.is(watching.envelopes.at(-1)?.event.type, 'session.deleted');
  assert.equal(await service.client.listSessions(), { sessions: [] });
  assert.is(await service.stop(), 0);
});

tour.run();
