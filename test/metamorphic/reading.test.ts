import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { handlers } from '../../host/routes.ts';
import { matchPath } from '../../lib/http/path-pattern.ts';
import { type Answers, answersOf, headersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { named } from './named.ts';
import { type Step, stepsOf } from './step.ts';

const test = suite('reading changes nothing');

const reading = fc.record({
  at: fc.nat(1_000),
  method: fc.constantFrom('GET', 'HEAD', 'OPTIONS'),
  viewer: fc.constantFrom('a' as const, 'b' as const, 'admin' as const),
  stream: fc.boolean(),
});

/** How the service came to be as it is read: still running, stopped and started, or dropped and started. */
const past = fc.constantFrom('none', 'restart', 'crash');
const drawn = fc.record({
  steps: stepsOf({ without: ['clock'] }),
  past,
  readings: fc.array(reading, { maxLength: 30 }),
});

for (const checkpoints of [false, true])
  test(`any GET, HEAD or OPTIONS in any order, ${checkpoints ? 'with' : 'without'} checkpoints`, () =>
    hold(`reading, checkpoints ${checkpoints}`, drawn, async ({ steps, past, readings }) => {
      const history = await History.begin({ checkpoints });
      const { world } = history;
      try {
        await history.play(steps);
        if (past === 'restart') await world.restart();
        if (past === 'crash') await world.crash();
        const before = await answersOf(history);
        const paths = [...before.keys()].map((asked) => asked.split(' ')[2] ?? '');
        for (const { at, method, viewer, stream } of readings) {
          const path = paths[at % paths.length] ?? '';
          await ask(history, { method, viewer, path });
          const { id = '' } = history.sessions[at % history.sessions.length] ?? {};
          const events =
            at % 2 === 0 ? '/api/events' : `/api/sessions/${id}/events?lastEventId=${at % 3 === 0 ? 0 : at}`;
          if (stream) await ask(history, { method, viewer, path: events });
        }
        await world.settle();
        assertSame(before, await answersOf(history), 'reading');
      } finally {
        await world.close();
      }
    }));

/** Streams have relations of their own; files of the console and of plugins are not about sessions. */
const unasked = ['/api/sessions/:id/events', '/api/events', '/api/plugins/events'];

test('and every route that is for reading is asked', async () => {
  const history = await History.begin({ checkpoints: true });
  try {
    const plain: Step = { verb: 'post', tenantId: 'a', session: 0, number: 0, flag: true, kinds: [] };
    await history.play([plain, { ...plain, verb: 'checkpoint' }]);
    const asked = [...(await answersOf(history)).keys()].map(
      (name) => new URL(name.split(' ')[2] ?? '/', 'http://x').pathname,
    );
    const routes = handlers
      .map(({ route }) => route)
      .filter(({ method, path }) => method === 'GET' && path.startsWith('/api/'));
    const missing = routes.filter(({ path }) => !asked.some((pathname) => matchPath(path, pathname)));
    assert.equal(missing.map(({ path }) => path).toSorted(), unasked.toSorted());
  } finally {
    await history.world.close();
  }
});

test('HEAD answers as GET does, without the body', () =>
  hold('HEAD', stepsOf({ without: ['clock'] }), async (steps) => {
    const history = await History.begin();
    try {
      await history.play(steps);
      for (const name of (await answersOf(history)).keys()) {
        const [viewer, , path = '/'] = name.split(' ') as ['a' | 'b' | 'admin', string, string?];
        const [get, head] = [
          await sent(history, 'GET', { viewer, path }),
          await sent(history, 'HEAD', { viewer, path }),
        ];
        assert.is(head.bytes, 0);
        assert.equal({ ...head.headers, 'content-length': '' }, { ...get.headers, 'content-length': '' }, path);
        const { 'content-length': length = String(get.bytes) } = head.headers;
        // Figures of the moment are others a moment later.
        if (path !== '/api/metrics') assert.is(length, String(get.bytes), path);
        assert.is(head.status, get.status);
      }
    } finally {
      await history.world.close();
    }
  }));

/** What was put together for one answer and kept must not be in the next one. */
test('who asks for everything after every step gets at the end what somebody gets who asks for the first time', () =>
  hold('reading in between', stepsOf(), async (steps) => {
    const [often, once] = [await played(steps, true), await played(steps, false)];
    assertSame(once, often, 'reading in between');
  }));

test.run();

async function played(steps: readonly Step[], readsInBetween: boolean): Promise<Answers> {
  const history = await History.begin();
  try {
    await history.play(steps, async () => void (readsInBetween && (await answersOf(history))));
    return named(await answersOf(history));
  } finally {
    await history.world.close();
  }
}

async function sent(
  { world }: History,
  method: string,
  { viewer, path }: { viewer: 'a' | 'b' | 'admin'; path: string },
) {
  const response = await world.life.fetch(path, { method, headers: headersOf(viewer) });
  const { byteLength: bytes } = await response.arrayBuffer();
  return { status: response.status, headers: Object.fromEntries(response.headers), bytes };
}

/** An event stream has no end: a client that has seen enough goes away. */
async function ask(
  { world }: History,
  { method, viewer, path }: { method: string; viewer: 'a' | 'b' | 'admin'; path: string },
): Promise<void> {
  const gone = new AbortController();
  const response = await world.life.fetch(path, { method, headers: headersOf(viewer), signal: gone.signal });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) await response.body?.cancel();
  else await response.arrayBuffer();
  gone.abort();
}
