import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import { createSessions } from '../../lib/session/sessions.ts';
import type { SessionRecord } from '../../lib/wire/session.ts';
import { noUsage } from '../../lib/wire/usage.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';

const totals = suite('What a tenant is told to have used is what its sessions add up to');

const tenants = ['a', 'b'];
const action = fc.record({
  kind: fc.constantFrom('create', 'use', 'use in vain', 'delete'),
  tenant: fc.constantFrom(...tenants),
  pick: fc.nat(9),
  tokens: fc.nat(1_000),
});

totals('after any life of sessions, refused changes included', () =>
  fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 40 }), async (actions) => {
      const clock = createFakeClock();
      const store = createMemoryStore();
      let failing = false;
      const commit: typeof store.commit = (change) =>
        failing ? Promise.reject(new Error('no space')) : store.commit(change);
      const events = createEventBus({ clock, seed: 0 });
      const sessions = createSessions({ store: { ...store, commit }, events, clock });
      for (const [number, { kind, tenant, pick, tokens }] of actions.entries()) {
        const mine = sessions.list(tenant);
        const session = sessions.find(tenant, mine[pick % Math.max(1, mine.length)]?.id ?? '');
        if (kind === 'create') {
          const record = recordOf(`ses_${number}`, tenant);
          await sessions.add(record).commit({ kind: 'created', session: record });
        } else if (session && kind === 'delete') {
          await session.commit({ kind: 'deleted' });
          sessions.remove(session);
        } else if (session) {
          failing = kind === 'use in vain';
          const usage = { ...noUsage, totalTokens: session.record.usage.totalTokens + tokens };
          await session.commit({ kind: 'updated', fields: { usage } }).catch(() => undefined);
          failing = false;
        }
        for (const tenantId of tenants) {
          const records = sessions.list(tenantId);
          const sum = records.reduce((total, { usage }) => total + usage.totalTokens, 0);
          assert.equal(sessions.totals(tenantId), { sessions: records.length, tokens: sum });
        }
      }
    }),
    { numRuns: 60 },
  ),
);

totals('also of sessions that were there at the start', () => {
  const clock = createFakeClock();
  const sessions = createSessions({ store: createMemoryStore(), events: createEventBus({ clock, seed: 0 }), clock });
  const used = (id: string, totalTokens: number) => ({ ...recordOf(id, 'a'), usage: { ...noUsage, totalTokens } });
  sessions.restore([used('ses_1', 5), used('ses_2', 7)]);
  assert.equal(sessions.totals('a'), { sessions: 2, tokens: 12 });
  assert.equal(sessions.totals('b'), { sessions: 0, tokens: 0 });
});

totals.run();

function recordOf(id: string, tenantId: string): SessionRecord {
  const createdAt = '2026-01-01T00:00:00.000Z';
  return {
    id,
    tenantId,
    title: 'New session',
    titled: false,
    createdAt,
    updatedAt: createdAt,
    status: 'idle',
    model: 'scripted',
    messageCount: 0,
    workspace: '/workspace',
    usage: noUsage,
    rootId: id,
    revision: 1,
  };
}
