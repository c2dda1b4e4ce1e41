import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFairQueue } from '../../lib/base/fair-queue.ts';

const test = suite('A fair queue');
const never = new AbortController().signal;

/** Work that ends when it is told to, and a list of what has begun. */
function rig(atOnce: number, perParty = 10) {
  const queue = createFairQueue({ atOnce, perParty });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const add = (name: string, signal = never) =>
    queue.add(
      name.slice(0, 1),
      () => {
        begun.push(name);
        return new Promise<string>((resolve) => ends.set(name, () => resolve(name)));
      },
      signal,
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const end = async (name: string) => {
    ends.get(name)?.();
    await settle();
  };
  return { add, begun, end, settle };
}

test('goes round: one with many pieces delays another by one piece at most', async () => {
  const { add, begun, end, settle } = rig(1);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) void add(name);
  await settle();
  for (let at = 0; at < 7; at++) await end(begun.at(-1) ?? '');
  assert.equal(begun, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4']);
});

test('a party has one piece under way, whatever is free', async () => {
  const { add, begun, end, settle } = rig(2);
  for (const name of ['a1', 'a2', 'a3']) void add(name);
  await settle();
  assert.equal(begun, ['a1']);
  void add('b1');
  await settle();
  assert.equal(begun, ['a1', 'b1']);
  void add('c1');
  await end('b1');
  assert.equal(begun, ['a1', 'b1', 'c1']);
  await end('a1');
  assert.equal(begun, ['a1', 'b1', 'c1', 'a2']);
});

test('who went away does not take a turn, nor a place', async () => {
  const { add, begun, end, settle } = rig(1, 1);
  const gone = new AbortController();
  void add('a1');
  await settle();
  const left = add('a2', gone.signal);
  gone.abort(new Error('gone'));
  assert.is(await left.catch((error: Error) => error.message), 'gone');
  const third = add('a3');
  await end('a1');
  assert.equal(begun, ['a1', 'a3']);
  await end('a3');
  assert.is(await third, 'a3');
});

test('too many of one party are refused, others are not; a failure frees the turn', async () => {
  const queue = createFairQueue({ atOnce: 1, perParty: 2 });
  const fail = () => Promise.reject(new Error('failed'));
  const results = Promise.allSettled(['a', 'a', 'a', 'a', 'b'].map((party) => queue.add(party, fail, never)));
  const reasons = (await results).map((result) => (result.status === 'rejected' ? result.reason.name : ''));
  assert.equal(reasons, ['Error', 'Error', 'Error', 'QueueFull', 'Error']);
});

test.run();
