import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { readEventStream } from '../helpers/event-stream.ts';
import { sessionOf } from '../torture/invariants/history.ts';
import { headersOf, read } from './answers.ts';
import { listOfEvents, settled, sightOfEvents, sightOfReading } from './client.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { contextWindow, stepsOf } from './step.ts';

const test = suite('events tell the truth');

const drawn = fc.record({
  steps: stepsOf({ tenants: ['a'], most: 30 }),
  contextWindow,
  cuts: fc.array(fc.nat(1_000), { minLength: 5, maxLength: 5 }),
});

test('who replays all of a session has what is stored, whenever it rests', () =>
  hold('replay', drawn, async ({ steps, contextWindow }) => {
    const history = await History.begin({ contextWindow });
    try {
      const compare = async (): Promise<void> => {
        for (const { id, tenantId } of history.sessions) {
          if (tenantId !== 'a') continue;
          const detail = await read(history, 'a', `/api/sessions/${id}`);
          if (detail.status === 404) continue;
          const { streaming } = JSON.parse((await read(history, 'a', `/api/sessions/${id}/messages`)).text);
          const told = sightOfEvents(await replay(history, id, 0));
          assert.equal(told, sightOfReading(JSON.parse(detail.text).session, streaming));
        }
      };
      await history.play(steps, compare);
      await compare();
    } finally {
      await history.world.close();
    }
  }));

test('who replays all of a tenant has its list', () =>
  hold('replay of a list', drawn, async ({ steps, contextWindow }) => {
    const history = await History.begin({ contextWindow });
    try {
      await history.play(steps);
      const told = listOfEvents(await replay(history, undefined, 0));
      const { sessions } = JSON.parse((await read(history, 'a', '/api/sessions')).text) as {
        sessions: SessionSummary[];
      };
      assert.equal(told, new Map(sessions.map((session) => [session.id, settled(session)])));
    } finally {
      await history.world.close();
    }
  }));

test('who comes back after a crash is told that something may be missing, and gets all that came since', () =>
  hold('reconnect after a crash', fc.record({ before: stepsOf(), after: stepsOf() }), async ({ before, after }) => {
    const history = await History.begin();
    try {
      await history.play(before);
      const had = await replay(history, undefined, 0);
      await history.world.crash();
      await history.play(after);
      const [gap, ...rest] = await replay(history, undefined, had.at(-1)?.seq ?? 0);
      assert.equal(gap?.event, { type: 'stream.gap', reason: 'restarted', resumedFrom: gap?.seq });
      assert.equal(rest, await replay(history, undefined, 0));
      const seqs = [...had, ...(gap ? [gap] : []), ...rest].map(({ seq }) => seq);
      assert.equal(
        seqs,
        [...new Set(seqs)].sort((one, other) => one - other),
      );
    } finally {
      await history.world.close();
    }
  }));

test('who comes back with the last number gets every event once', () =>
  hold('reconnect', drawn, async ({ steps, contextWindow, cuts }) => {
    const history = await History.begin({ contextWindow });
    try {
      await history.play(steps);
      for (const id of [undefined, ...history.sessions.map((session) => session.id)]) {
        const whole = await replay(history, id, 0);
        assert.equal(
          whole.map(({ seq }) => seq),
          due(history, id).map(({ seq }) => seq),
        );
        for (const cut of cuts) {
          const at = cut % (whole.length + 1);
          assert.equal(await replay(history, id, whole[at - 1]?.seq ?? 0), whole.slice(at));
        }
      }
    } finally {
      await history.world.close();
    }
  }));

test.run();

/** What a stream of tenant `a` has to bring, by what was published. Of a session that was deleted only that is told. */
function due({ world }: History, sessionId: string | undefined): ServerEventEnvelope[] {
  const boot = world.facts.findLastIndex(({ kind }) => kind === 'boot');
  const all = world.facts
    .slice(boot)
    .flatMap((fact) => (fact.kind === 'event' && fact.tenantId === 'a' ? [fact.envelope] : []));
  const isThere = (id = ''): boolean => world.life.app.sessions.findAny(id) !== undefined;
  const told = all.filter((each) => isThere(sessionOf(each)) || each.event.type === 'session.deleted');
  return sessionId === undefined ? told : told.filter((each) => isThere(sessionId) && sessionOf(each) === sessionId);
}

/** Everything that a stream brings at rest: of a session, or of all. */
async function replay(history: History, id: string | undefined, after: number): Promise<ServerEventEnvelope[]> {
  const path = id === undefined ? '/api/events' : `/api/sessions/${id}/events`;
  const gone = new AbortController();
  // The header and the query mean the same.
  const inQuery = after % 2 === 0 ? `?lastEventId=${after}` : '';
  const headers = { ...headersOf('a'), ...(inQuery === '' ? { 'last-event-id': String(after) } : {}) };
  const response = await history.world.life.fetch(path + inQuery, { headers, signal: gone.signal });
  if (response.status === 404) return [];
  const stream = readEventStream(response, () => gone.abort());
  const last = due(history, id).at(-1)?.seq ?? 0;
  if (last > after) await stream.when(() => (stream.envelopes.at(-1)?.seq ?? 0) >= last);
  // One that comes too often would come now.
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
  await stream.close();
  return [...stream.envelopes];
}
