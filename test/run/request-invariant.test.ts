import { join } from 'node:path';
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemClock } from '../../lib/base/clock.ts';
import type { ModelRequest } from '../../lib/models/model.ts';
import { requestProblem } from '../../lib/run/request-problem.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import type { Tool } from '../../lib/tools/tool.ts';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { createTestApp } from '../helpers/test-app.ts';
import { watch } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';

const test = suite('Every model request');
const silent = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const png = Buffer.from('a picture').toString('base64');
const image = { mimeType: 'image/png', data: png } as const;

const step = fc.record({
  /** How the message of the step goes on. */
  end: fc.constantFrom('finish', 'finish', 'cancel', 'stop', 'fail', 'partial'),
  /** At which of the model's calls that happens; tools are called before. */
  after: fc.integer({ min: 0, max: 3 }),
  tools: fc.array(fc.constantFrom('quick', 'picture', 'broken', 'asking', 'hanging', 'unknown'), { maxLength: 3 }),
  approve: fc.boolean(),
  images: fc.boolean(),
  length: fc.constantFrom(5, 3_000),
  next: fc.constantFrom('message', 'resume', 'compact', 'rewind', 'other model'),
});

test('is valid, whatever stops, cancels, denials, compactions, rewinds and images came before', async () => {
  let requests = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
      requests += await within(20_000, live(steps), `the steps ${JSON.stringify(steps)}`);
    }),
    { numRuns: Number(process.env.REQUEST_RUNS ?? 25) },
  );
  assert.ok(requests > 50, `${requests} requests`);
});

/** Plays the steps on one session, over as many processes as there are stops; how many requests were made. */
async function live(steps: Step[]): Promise<number> {
  const directory = tempDirectory('invariant');
  let requests = 0;
  let id: string | undefined;
  const problems: string[] = [];
  const check = (request: ModelRequest): void => {
    requests += 1;
    const problem = requestProblem(request.messages);
    if (problem !== undefined) problems.push(problem);
  };
  let left = [...steps];
  while (left.length > 0) {
    const played = await oneProcess(directory, { id, steps: left, check });
    id = played.id;
    left = left.slice(played.count);
  }
  assert.equal(problems, []);
  return requests;
}

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

async function oneProcess(
  directory: string,
  { id, steps, check }: { id: string | undefined; steps: Step[]; check(request: ModelRequest): void },
): Promise<{ id: string; count: number }> {
  let current: Step | undefined;
  let calls = 0;
  const stuck = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  const reply: Reply = async (request, io) => {
    check(request);
    if (request.system.includes('summary')) return { content: 'A summary.' };
    const now = current;
    if (!now || calls++ < now.after) {
      const names = now?.tools ?? [];
      return {
        content: 'so',
        toolCalls: now ? names.map((name, at) => callOf(name, {}, at === 2 ? 'same' : `c${calls}-${at}`)) : [],
      };
    }
    if (now.end === 'fail') throw new Error('the provider failed');
    if (now.end === 'partial') {
      io.onDelta('text', 'half');
      throw new Error('the stream broke');
    }
    if (now.end === 'cancel' || now.end === 'stop') {
      io.onDelta('reasoning', 'hm');
      return stuck(io.signal);
    }
    return { content: 'x'.repeat(now.length), reasoning: 'because' };
  };
  const many = Array.from({ length: 400 }, () => reply);
  const store = createFileStore({
    directory: join(directory, 'data'),
    durability: 'process',
    clock: systemClock,
    log: silent,
  });
  const settings = {
    agent: { compaction: { keepRecent: 2 }, workspace: join(directory, 'workspace') },
    plugins: { directories: [] },
    checkpoints: { enabled: false },
  };
  const models = [
    scriptedModel(many, { contextWindow: 2_000 }),
    scriptedModel(many, { id: 'other', contextWindow: 2_000 }),
  ];
  const app = await createTestApp({ directory, store, settings, models, tools: tools(stuck) });
  try {
    const session = await watch(app, id ?? (await app.newSession()).id);
    const over = () => app.app.runs.activeRun(session.id) === undefined;
    for (const [at, now] of steps.entries()) {
      current = now;
      calls = 0;
      const from = session.stream.envelopes.length;
      const since = () => session.stream.envelopes.slice(from).map(({ event }) => event);
      await begin(app, session.path, now);
      const open = new Set<string>();
      await session.stream.when(
        () => {
          for (const event of since()) {
            if (event.type !== 'approval.requested' || open.has(event.approval.id)) continue;
            open.add(event.approval.id);
            void app.fetch(`${session.path}/approvals/${event.approval.id}`, {
              method: 'POST',
              body: JSON.stringify({ approved: now.approve }),
            });
          }
          const hangs = since().some((event) => event.type === 'tool.started' && event.call.name === 'hanging');
          const thinks = since().some((event) => event.type === 'message.delta' && event.channel === 'reasoning');
          return since().some(({ type }) => /^run\.f/.test(type)) || (hangs && !over()) || thinks;
        },
        { ms: 10_000, what: JSON.stringify(now) },
      );
      current = undefined;
      if (now.end === 'stop' && !over()) return { id: session.id, count: at + 1 };
      if (!over()) {
        await app.call('POST', `${session.path}/cancel`, {});
        await app.app.runs.settled(session.id);
      }
      await between(app, session.path, now);
    }
    return { id: session.id, count: steps.length };
  } finally {
    assert.equal(
      app.lines.filter((line) => line.includes('repaired for the model')),
      [],
      'nothing was left to repair',
    );
    await app.close();
  }
}

type App = Awaited<ReturnType<typeof createTestApp>>;

async function begin(app: App, path: string, now: Step): Promise<void> {
  if (now.next === 'resume') {
    const resumed = await app.fetch(`${path}/resume`, { method: 'POST' });
    if (resumed.status === 202) return;
  }
  const body = { content: 'm'.repeat(now.length), ...(now.images ? { images: [image] } : {}) };
  await app.call('POST', `${path}/messages`, { status: 202, body });
}

async function between(app: App, path: string, now: Step): Promise<void> {
  if (now.next === 'compact') await app.call('POST', `${path}/compact`, {});
  if (now.next === 'other model') await app.call('PATCH', path, { body: { model: 'other' } });
  if (now.next !== 'rewind') return;
  const { session } = await app.call<{ session: { messages: { id: string; role: string }[] } }>('GET', path, {});
  const target = session.messages.findLast(({ role }) => role === 'user');
  if (target) await app.call('POST', `${path}/rewind`, { body: { messageId: target.id } });
}

function tools(stuck: (signal: AbortSignal) => Promise<never>): Tool[] {
  const tool = (name: string, execute: Tool['execute'], permission: 'auto' | 'ask' = 'auto'): Tool => ({
    name,
    description: name,
    parameters: { type: 'object' },
    permission,
    execute,
  });
  return [
    tool('quick', () => 'ok'),
    tool('picture', () => ({ content: 'see', images: [image] })),
    tool('broken', () => Promise.reject(new Error('broken'))),
    tool('asking', () => 'allowed', 'ask'),
    tool('hanging', (_, { signal }) => stuck(signal)),
  ];
}

test('that is not valid is recognised', () => {
  const call = callOf('t', {}, 'a');
  const assistant = { role: 'assistant', content: '', toolCalls: [call] } as const;
  const result = { role: 'tool', callId: 'a', name: 't', content: '', isError: false } as const;
  const user = { role: 'user', content: 'hi' } as const;
  assert.is(requestProblem([user, { ...assistant, toolCalls: [call] }, result, user]), undefined);
  for (const [messages, problem] of [
    [[user, { ...assistant, toolCalls: [call] }], /"a" has no result/],
    [[user, { ...assistant, toolCalls: [call] }, user, result], /"a" has no result/],
    [[user, { ...assistant, toolCalls: [call] }, result, result], /belongs to no call/],
    [[user, result], /belongs to no call/],
    [[user, { ...assistant, toolCalls: [call, call] }, result, result], /twice/],
  ] as const)
    assert.match(
      requestProblem(messages.map((message) => ({ ...message })) as ModelRequest['messages']) ?? '',
      problem,
    );
});

test.run();
