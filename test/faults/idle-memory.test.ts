import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import { createSessions, type Sessions } from '../../lib/session/sessions.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { newId, sampleMessage, sampleRecord, texts } from '../store/sample.ts';

const test = suite('Transcripts leave memory, least recently used first, when they are more than the bound');

/** Sessions of a million characters each, which count as two megabytes, in a directory that may keep seven megabytes in memory. */
async function rig(count: number) {
  const [clock, store] = [createFakeClock(), createMemoryStore()];
  const events = createEventBus({ clock, seed: 0 });
  const sessions = createSessions({ store, events, clock, transcriptBytes: 7 * 2 ** 20 });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    clock.advance(11_000);
    const session = sessions.add(sampleRecord(newId('ses')));
    await session.commit({ kind: 'created', session: session.record });
    const content = `${at} ${'x'.repeat(2 ** 20)}`;
    await session.commit({ kind: 'appended', messages: [sampleMessage(content)], fields: {} });
    ids.push(session.id);
  }
  return { clock, sessions, store, ids };
}

const inMemory = (sessions: Sessions, ids: string[]): boolean[] => ids.map((id) => sessions.resident(id) !== undefined);

test('what nobody used for a while goes, what was used last stays, and all of it can be read again', async () => {
  const { sessions, ids } = await rig(6);
  const kept = inMemory(sessions, ids);
  assert.ok(kept.filter(Boolean).length <= 3, String(kept));
  assert.equal([kept[0], kept[5]], [false, true]);
  const first = sessions.find('default', ids[0] ?? '');
  await first?.load();
  assert.is(texts([...(first?.messages ?? [])])[0]?.slice(0, 3), '0 x');
});

test('a session whose run is active stays, whatever the bound', async () => {
  const { clock, sessions, ids } = await rig(3);
  const active = sessions.find('default', ids[1] ?? '');
  assert.is(active?.messages.length, 1);
  if (active) active.activeRunId = 'run_1';
  for (let at = 0; at < 5; at++) {
    clock.advance(11_000);
    const session = sessions.add(sampleRecord(newId('ses')));
    await session.commit({ kind: 'created', session: session.record });
    const messages = [sampleMessage('x'.repeat(2 ** 20))];
    await session.commit({ kind: 'appended', messages, fields: {} });
  }
  assert.equal(inMemory(sessions, ids), [false, true, false]);
});

test('what was being read when its session was deleted takes the room of nobody', async () => {
  const { clock, sessions, store, ids } = await rig(3);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const content = await store.readMessages('default', ids[0] ?? '');
  store.readMessages = () => held.then(() => content);
  const record = sampleRecord(newId('ses'));
  sessions.restore([record]);
  const ghost = sessions.find('default', record.id);
  if (!ghost) throw new Error('The session is not there.');
  const loading = ghost.load();
  await ghost.commit({ kind: 'deleted' });
  sessions.remove(ghost);
  clock.advance(11_000);
  release();
  await loading;
  assert.equal(inMemory(sessions, ids), [true, true, true]);
});

test.run();
