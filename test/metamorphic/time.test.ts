import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredMessage } from '../../lib/wire/message.ts';
import type { SessionSummary } from '../../lib/wire/session.ts';
import { read } from './answers.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { stepsOf } from './step.ts';

const test = suite('whatever the clock does, lists are sorted, pages complete and ids unique');

const drawn = fc.record({
  steps: stepsOf({ most: 40 }),
  jumps: fc.array(fc.constantFrom(0, 0, 0, -1, -3_600_000, 86_400_000, -86_400_000), { minLength: 40, maxLength: 40 }),
  end: fc.constantFrom('none' as const, 'restart' as const, 'crash' as const),
});

test('a clock that steps back, jumps ahead or stands still', () =>
  hold('time', drawn, async ({ steps, jumps, end }) => {
    const history = await History.begin();
    const { world } = history;
    try {
      const left = [...jumps];
      await history.play(steps, async () => world.clock.step(left.shift() ?? 0));
      if (end !== 'none') await world[end]();
      const ids = new Set<string>();
      const take = (id: string): void => {
        assert.not.ok(ids.has(id), `${id} is there twice`);
        ids.add(id);
      };
      for (const tenantId of ['a', 'b'] as const) {
        for (const query of ['', 'roots=1', 'status=idle,running,error', 'q=scripted']) {
          const whole = await sessionsOf(history, tenantId, query);
          const order = whole.map(({ updatedAt, id }) => `${updatedAt} ${id}`);
          assert.equal(order, order.toSorted().reverse());
          for (const limit of [1, 2, 3]) assert.equal(await walk(history, tenantId, `${query}&limit=${limit}`), whole);
          if (query !== '') continue;
          for (const { id } of whole) take(id);
          for (const { id } of whole) for (const message of await messagesOf(history, tenantId, id)) take(message);
        }
      }
      const seqs = world.facts.flatMap((fact) => (fact.kind === 'event' ? [fact.envelope.seq] : []));
      assert.equal(
        seqs,
        [...new Set(seqs)].sort((a, b) => a - b),
      );
    } finally {
      await world.close();
    }
  }));

test.run();

interface Page {
  sessions: SessionSummary[];
  nextCursor?: string;
}

async function page(history: History, viewer: 'a' | 'b', query: string): Promise<Page> {
  const { text } = await read(history, viewer, `/api/sessions?${query}`);
  return JSON.parse(text) as Page;
}

async function sessionsOf(history: History, viewer: 'a' | 'b', query: string): Promise<SessionSummary[]> {
  return (await page(history, viewer, query)).sessions;
}

async function walk(history: History, viewer: 'a' | 'b', query: string): Promise<SessionSummary[]> {
  const all: SessionSummary[] = [];
  for (let cursor = ''; ; ) {
    const { sessions, nextCursor } = await page(history, viewer, `${query}${cursor}`);
    all.push(...sessions);
    if (nextCursor === undefined) return all;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
}

/** The ids of a transcript, page by page; the same as in one piece. */
async function messagesOf(history: History, viewer: 'a' | 'b', id: string): Promise<string[]> {
  const path = `/api/sessions/${id}/messages`;
  const ask = async (query: string) =>
    JSON.parse((await read(history, viewer, path + query)).text) as { messages: StoredMessage[]; more: boolean };
  const whole = (await ask('?limit=1000')).messages.map((message) => message.id);
  const paged: string[] = [];
  for (let before = ''; ; ) {
    const { messages, more } = await ask(`?limit=2${before}`);
    paged.unshift(...messages.map((message) => message.id));
    if (!more) break;
    before = `&before=${messages[0]?.id}`;
  }
  assert.equal(paged, whole);
  return whole;
}
