import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { answersOf, headersOf } from './answers.ts';
import { type Allowed, anySeq, assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { allowed as inNextProcess } from './next-process.ts';
import { stepsOf } from './step.ts';

const test = suite("another tenant's activity changes nothing in mine");

const drawn = fc.record({
  before: stepsOf(),
  theirs: stepsOf({ tenants: ['b'], without: ['tick', 'clock'], most: 15 }),
});

/** `health` is for everybody and counts the sessions of the whole service (contract). */
const allowed: Allowed = (body, asked) =>
  asked.endsWith('/api/health') ? body.replace(/"sessions":\d+/, '"sessions":0') : anySeq(body, asked);

test('what I read stays, and my event streams stay silent', () =>
  hold('tenants', drawn, async ({ before, theirs }) => {
    const history = await History.begin();
    const { world } = history;
    try {
      await history.play(before);
      const mine = await answersOf(history, ['a']);
      const gone = new AbortController();
      const stream = await world.life.fetch('/api/events', { headers: headersOf('a'), signal: gone.signal });
      const heard: string[] = [];
      const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
      const reading = (async () => {
        for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) heard.push(next.value);
      })().catch(() => undefined);
      await history.play(theirs);
      gone.abort();
      await reader?.cancel().catch(() => undefined);
      await reading;
      assert.match(heard.join(''), /^retry: 3000\n/, 'the stream was open');
      assert.equal(heard.join('').match(/^data: .*$/gm) ?? [], []);
      const own = new Set([...mine.keys()]);
      const after = await answersOf(history, ['a']);
      assert.equal(new Set(after.keys()), own);
      assertSame(mine, after, 'another tenant', allowed);
    } finally {
      await world.close();
    }
  }));

test('nor do accounts that an administrator makes, changes and deletes elsewhere', () =>
  hold(
    'accounts',
    fc.record({ before: stepsOf({ most: 8 }), names: fc.array(fc.nat(9), { minLength: 1, maxLength: 4 }) }),
    async ({ before, names }) => {
      const history = await History.begin();
      const { world } = history;
      const call = async (method: string, path: string, body: object = {}): Promise<{ user?: { id: string } }> => {
        const response = await world.life.fetch(path, {
          method,
          headers: headersOf('admin'),
          ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }),
        });
        const text = await response.text();
        return text === '' ? {} : JSON.parse(text);
      };
      try {
        await history.play(before);
        const mine = await answersOf(history, ['a', 'b']);
        for (const name of names) {
          await call('POST', '/api/tenants', { id: `t${name}`, name: 'new' });
          const { user } = await call('POST', '/api/users', { name: 'new', tenantId: name > 5 ? 'a' : `t${name}` });
          await call('POST', `/api/users/${user?.id}/token`);
          if (name % 2 === 0) await call('DELETE', `/api/users/${user?.id}`);
        }
        assertSame(mine, await answersOf(history, ['a', 'b']), 'an administrator');
        const accounts = await answersOf(history, ['admin']);
        await world.restart();
        assertSame(accounts, await answersOf(history, ['admin']), 'a restart', inNextProcess);
      } finally {
        await world.close();
      }
    },
  ));

test.run();
