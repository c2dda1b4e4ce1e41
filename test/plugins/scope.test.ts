import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { cycleThrough, loadOrder } from '../../lib/plugins/order.ts';
import { createScope } from '../../lib/plugins/scope.ts';

const failures = (errors: unknown[]) => (error: unknown) => void errors.push(error);

/** A registry that knows what is registered now, and by whom. */
function registry() {
  const items: string[] = [];
  const owners: unknown[] = [];
  return {
    items,
    owners,
    register(item: string, owner?: string) {
      if (items.includes(item)) throw new Error(`"${item}" is taken`);
      items.push(item);
      owners.push(owner);
      return () => void items.splice(items.indexOf(item), 1);
    },
    async slow(ms: number) {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return 'answer';
    },
  };
}
type Registry = ReturnType<typeof registry>;

const scope = suite('Everything that a plugin takes can be given back');

scope('registrations are undone in reverse order, once, whoever undoes them first', async () => {
  const words = registry();
  const plugin = createScope(new Map([['words', words]]), 'p');
  const order: string[] = [];
  const { register } = plugin.use('words') as Registry;
  const undo = register('a');
  plugin.onDispose(() => void order.push(`disposed with ${words.items}`));
  register('b');
  undo();
  undo();
  assert.equal(words.items, ['b']);
  await plugin.dispose(failures([]));
  await plugin.dispose(failures([]));
  assert.equal(words.items, []);
  assert.equal(order, ['disposed with ']);
});

scope('a registry is told who registers', () => {
  const words = registry();
  (createScope(new Map([['words', words]]), 'p').use('words') as Registry).register('a');
  assert.equal(words.owners, ['p']);
});

scope('one failing undo does not keep the others from being done', async () => {
  const words = registry();
  const errors: unknown[] = [];
  const plugin = createScope(new Map([['words', words]]), 'p');
  (plugin.use('words') as Registry).register('a');
  plugin.onDispose(() => {
    throw new Error('stuck');
  });
  plugin.onDispose(() => Promise.reject(new Error('late')));
  await plugin.dispose(failures(errors));
  assert.equal(words.items, []);
  assert.equal(errors.map(String), ['Error: late', 'Error: stuck']);
});

scope('after the end nothing can be registered, used or provided, and onDispose runs at once', async () => {
  const words = registry();
  const services = new Map<string, unknown>([['words', words]]);
  const plugin = createScope(services, 'p');
  const { register } = plugin.use('words') as Registry;
  await plugin.dispose(failures([]));
  assert.is(plugin.signal.aborted, true);
  assert.throws(() => register('a'), /unloaded/);
  assert.throws(() => plugin.use('words'), /unloaded/);
  assert.throws(() => plugin.provide('mine', {}), /unloaded/);
  assert.equal(words.items, []);
  await new Promise<void>((resolve) => plugin.onDispose(resolve));
});

scope('a provided service is gone with its plugin, and a name is provided once', async () => {
  const services = new Map<string, unknown>();
  const plugin = createScope(services, 'p');
  plugin.provide('mine', { answer: () => 42 });
  assert.throws(() => plugin.provide('mine', {}), /exists already/);
  const other = createScope(services, 'q');
  assert.is((other.use('mine') as { answer(): number }).answer(), 42);
  await plugin.dispose(failures([]));
  assert.throws(() => other.use('mine'), /no service "mine"/);
});

scope('services keep their `this`, their private fields and their plain values', () => {
  class Counter {
    readonly unit = 'pieces';
    #count = 0;
    add(): number {
      this.#count += 1;
      return this.#count;
    }
  }
  const counter = Object.freeze(new Counter());
  const scoped = createScope(
    new Map<string, unknown>([
      ['counter', counter],
      ['number', 7],
    ]),
    'p',
  );
  const used = scoped.use('counter') as Counter;
  assert.is(used.add(), 1);
  assert.is(used.unit, 'pieces');
  assert.ok('add' in used);
  assert.is(scoped.use('number'), 7);
});

scope('calls without an answer are pending, by service and method', async () => {
  const plugin = createScope(new Map([['words', registry()]]), 'p');
  const answer = (plugin.use('words') as Registry).slow(10);
  assert.equal(plugin.pending(), ['words.slow']);
  assert.is(await answer, 'answer');
  assert.equal(plugin.pending(), []);
});

scope('whatever is registered and undone in whatever order, nothing is left at the end', async () => {
  const step = fc.record({ word: fc.constantFrom('a', 'b', 'c', 'd'), undo: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const words = registry();
      const plugin = createScope(new Map([['words', words]]), 'p');
      const { register } = plugin.use('words') as Registry;
      const undos = new Map<string, () => void>();
      const expected = new Set<string>();
      for (const { word, undo } of steps) {
        if (undo) {
          undos.get(word)?.();
          expected.delete(word);
        } else if (!expected.has(word)) {
          undos.set(word, register(word) as () => void);
          expected.add(word);
        }
        assert.equal([...words.items].sort(), [...expected].sort());
      }
      await plugin.dispose(failures([]));
      assert.equal(words.items, []);
    }),
  );
});
scope.run();

const order = suite('The load order of plugins');

const graphs = fc
  .uniqueArray(fc.constantFrom(...'abcdefgh'), { minLength: 1 })
  .chain((ids) =>
    fc.tuple(
      ...ids.map((id) => fc.record({ id: fc.constant(id), manifest: fc.record({ dependencies: fc.subarray(ids) }) })),
    ),
  );

order('has every plugin once, and dependencies first wherever there is no cycle', () => {
  fc.assert(
    fc.property(graphs, (plugins) => {
      const ordered = loadOrder(plugins);
      assert.equal([...ordered].map(({ id }) => id).sort(), plugins.map(({ id }) => id).sort());
      const byId = new Map(plugins.map((plugin) => [plugin.id, plugin]));
      const place = new Map(ordered.map(({ id }, at) => [id, at]));
      for (const { id, manifest } of plugins)
        for (const dependency of manifest.dependencies)
          if (cycleThrough(dependency, byId) === undefined || cycleThrough(id, byId) === undefined)
            assert.ok((place.get(dependency) ?? 0) < (place.get(id) ?? 0), `${dependency} before ${id}`);
    }),
  );
});

order('a cycle is told from its beginning to its end', () => {
  const plugins = new Map([
    ['a', { id: 'a', manifest: { dependencies: ['x', 'b'] } }],
    ['b', { id: 'b', manifest: { dependencies: ['c'] } }],
    ['c', { id: 'c', manifest: { dependencies: ['b', 'a'] } }],
  ]);
  assert.equal(cycleThrough('a', plugins), ['a', 'b', 'c', 'a']);
  assert.equal(cycleThrough('x', plugins), undefined);
});
order.run();
