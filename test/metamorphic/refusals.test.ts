import fc from 'fast-check';
import { suite } from 'uvu';
import { systemClock } from '../../lib/base/clock.ts';
import { createFileStore } from '../../lib/store/file-store.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { silent } from '../store/file-rig.ts';
import { answersOf, headersOf } from './answers.ts';
import { assertSame } from './compare.ts';
import { History } from './history.ts';
import { hold } from './hold.ts';
import { type Refusal, refusals, type Surroundings } from './refusal.ts';
import { stepsOf } from './step.ts';

const test = suite('a refused call changes nothing at all');

const drawn = fc.record({
  steps: stepsOf(),
  asked: fc.array(fc.record({ at: fc.nat(1_000), session: fc.nat(9) }), { minLength: 1, maxLength: 12 }),
  past: fc.constantFrom('none', 'crash'),
});

test('whoever refuses: the contract, the state, a limit, a guard or the disk', () =>
  hold('refusals', drawn, async ({ steps, asked, past }) => {
    const disk = { refuses: false };
    const history = await History.begin({}, { store: async (directory) => refusing(directory, disk) });
    const { world } = history;
    try {
      await history.play(steps);
      if (past === 'crash') await world.crash();
      for (const { at, session } of asked) {
        const target = history.sessions[session % history.sessions.length];
        if (!target) continue;
        const refusal = refusals[at % refusals.length] as Refusal;
        const around = { ...target, ...stateOf(history, target.id) };
        if (refusal.when && !refusal.when(around)) continue;
        const before = await answersOf(history);
        const status = await refused(history, disk, { refusal, around });
        await world.settle();
        assertSame(before, await answersOf(history), `${refusal.name}, refused with ${status},`);
      }
    } finally {
      disk.refuses = false;
      await world.close();
    }
  }));

const quota = fc.constantFrom({}, { maxSessions: 2 }, { maxTokens: 40 }, { maxConcurrentRuns: 1 });
const failing = fc.array(fc.boolean(), { minLength: 25, maxLength: 25 });

test('and whatever else a history runs into, with quotas and a disk that fails now and then', () =>
  hold('refused steps', fc.record({ steps: stepsOf(), quota, failing }), async ({ steps, quota, failing }) => {
    const disk = { refuses: false };
    const history = await History.begin({ quota }, { store: async (directory) => refusing(directory, disk) });
    const { world } = history;
    try {
      for (const [at, step] of steps.entries()) {
        const before = await answersOf(history);
        // What a run that is going on can't store is no refusal.
        disk.refuses = failing[at] === true && world.life.app.runs.active === 0;
        const [outcome = ''] = await history.play([step]);
        disk.refuses = false;
        if (/ [45]\d\d /.test(outcome)) assertSame(before, await answersOf(history), `refused: ${outcome}`);
      }
    } finally {
      disk.refuses = false;
      await world.close();
    }
  }));

test.run();

function stateOf({ world }: History, id: string): Omit<Surroundings, 'id' | 'tenantId'> {
  const session = world.life.app.sessions.findAny(id);
  return {
    isThere: session !== undefined,
    isBusy: session?.activeRunId !== undefined,
    status: session?.record.status ?? 'idle',
    hasChildren: world.life.app.sessions.childrenOf(id).length > 0,
  };
}

async function refused(
  { world }: History,
  disk: { refuses: boolean },
  { refusal, around }: { refusal: Refusal; around: Surroundings },
): Promise<number> {
  const { method, path, body } = refusal.request(around);
  disk.refuses = refusal.by === 'disk';
  if (refusal.by === 'guard')
    world.veto = Object.assign(new Error('Come back later.'), { name: 'SessionGuardError', code: 'maintenance' });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const init = body === undefined ? {} : { body: text };
  const response = await world.life.fetch(path, { method, headers: headersOf(around.tenantId), ...init });
  const answer = await response.text();
  await world.settle();
  disk.refuses = false;
  world.veto = undefined;
  if (response.status < 400) throw new Error(`${refusal.name} was not refused: ${response.status} ${answer}`);
  return response.status;
}

/** A store that fails when it is told to, before anything is written. */
function refusing(directory: string, disk: { refuses: boolean }): SessionStore {
  const store = createFileStore({ directory, durability: 'process', clock: systemClock, log: silent });
  const fail = async (): Promise<never> => {
    throw new Error('no space left on device');
  };
  return {
    ...store,
    commit: (commit) => (disk.refuses ? fail() : store.commit(commit)),
    putImage: (tenantId, id, data) => (disk.refuses ? fail() : store.putImage(tenantId, id, data)),
  };
}
