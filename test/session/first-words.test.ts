import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nextTurn } from '../../lib/base/next-turn.ts';
import type { Session } from '../../lib/session/session.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp } from '../helpers/test-app.ts';
import { withApp } from '../helpers/with-app.ts';

const test = suite('Those who watch get the first words of a reply before the service does anything else');

const said = (app: TestApp, session: Session, delta: string, atOnce: boolean): string[] => {
  const seen: string[] = [];
  const cursor = app.app.events.subscribe({ tenantId: session.tenantId, sessionId: session.id });
  cursor.whenReady(() => seen.push(String(cursor.take(65_536))));
  session.publish(
    { type: 'message.delta', sessionId: session.id, messageId: 'msg_1', channel: 'text', delta },
    { atOnce },
  );
  return seen;
};

const sessionOf = async (app: TestApp): Promise<Session> => {
  const { id } = await app.newSession();
  const session = app.app.sessions.find('default', id);
  if (!session) throw new Error('The session is not there.');
  await session.load();
  return session;
};

test('an event that is wanted at once is told in its tick, any other at the end of the turn', () =>
  withApp({}, async (app) => {
    const session = await sessionOf(app);
    assert.match(said(app, session, 'now', true)[0] ?? '', /"delta":"now"/);
    const later = said(app, session, 'later', false);
    assert.equal(later, []);
    await nextTurn();
    assert.match(later[0] ?? '', /"delta":"later"/);
  }));

test('behind a change it waits for the disk, and is told in the tick in which that is done', () =>
  withApp({}, async (app) => {
    const session = await sessionOf(app);
    const stored = session.commit({ kind: 'updated', fields: {} }, () => [
      { type: 'notice', level: 'info', message: 'changed', sessionId: session.id },
    ]);
    const seen = said(app, session, 'words', true);
    assert.equal(seen, []);
    await stored;
    assert.match(seen[0] ?? '', /"changed".*"delta":"words"/s);
  }));

test('the first words of a reply that comes whole are told before it is in the transcript', () => {
  const model = scriptedModel([{ content: 'All of it.' }]);
  return withApp({ models: [model] }, async (app) => {
    const session = await sessionOf(app);
    const stored: number[] = [];
    const cursor = app.app.events.subscribe({ tenantId: session.tenantId, sessionId: session.id });
    const read = (): void => {
      const text = String(cursor.take(65_536));
      if (text.includes('message.delta')) stored.push(session.messages.length);
      if (!cursor.ended) cursor.whenReady(read);
    };
    cursor.whenReady(read);
    await app.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content: 'Say it.' } });
    await app.app.runs.settled(session.id);
    await nextTurn();
    assert.is(stored[0], 1, 'the reply was in the transcript before its first words were told');
    cursor.close();
  });
});

test.run();
