import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { MessageHits } from '../../lib/store/message-search.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { withApp } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { accounts, person } from './people.ts';

const turns = suite("One tenant's searches never keep another's waiting for more than one turn");

/** A store whose searches take as long as the test wants. */
function slowStore() {
  const begun: string[] = [];
  const endings: (() => void)[] = [];
  const searchMessages = ({ tenantId }: { tenantId: string }): Promise<MessageHits> => {
    begun.push(tenantId);
    return new Promise((resolve) => endings.push(() => resolve({ hits: [], truncated: false })));
  };
  return { store: { ...createMemoryStore(), searchMessages }, begun, endNext: () => endings.shift()?.() };
}

turns('the flooder is refused beyond 20, and everybody is answered', async () => {
  const { store, begun, endNext } = slowStore();
  await withApp({ env: accounts, store }, async (app) => {
    const flooder = await person(app, { name: 'Flooder', tenantId: 'a' });
    const others = await Promise.all(['b', 'c'].map((tenantId) => person(app, { name: `Of ${tenantId}`, tenantId })));
    const search = ({ headers }: { headers: Record<string, string> }) => app.fetch('/api/search?q=word', { headers });
    const flood = Array.from({ length: 30 }, () => search(flooder));
    await eventually(2_000, () => begun.length === 1);
    const answers = others.map(search);
    await eventually(2_000, () => begun.length === 2);
    assert.equal(begun, ['a', 'b'], 'b waits for nobody');
    endNext();
    await eventually(2_000, () => begun.length === 3);
    assert.equal(begun[2], 'c', 'c is next, though 20 of a were earlier');
    while (begun.length < 23) {
      endNext();
      await new Promise((resolve) => setImmediate(resolve));
    }
    const drain = setInterval(endNext, 1);
    const statuses = (await Promise.all([...flood, ...answers])).map(({ status }) => status);
    clearInterval(drain);
    assert.equal([statuses.filter((status) => status === 200).length, statuses.slice(-2)], [23, [200, 200]]);
    const refused = statuses.filter((status) => status === 429);
    assert.is(refused.length, 9);
  });
});

turns.run();
