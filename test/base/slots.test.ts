import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSlots } from '../../lib/base/slots.ts';

const test = suite('Slots bound how much is done at once');

test('never more than so many, in the order of the calls, and a failure gives its slot back', async () => {
  const slots = createSlots(3);
  const order: number[] = [];
  let [now, most] = [0, 0];
  const work = (number: number) =>
    slots(async () => {
      order.push(number);
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now -= 1;
      if (number % 2 === 1) throw new Error(`odd ${number}`);
      return number;
    });
  const results = await Promise.allSettled(Array.from({ length: 20 }, (_, number) => work(number)));
  assert.equal(
    order,
    order.toSorted((a, b) => a - b),
  );
  assert.is(most, 3);
  assert.equal(
    results.map((result) => (result.status === 'fulfilled' ? result.value : -1)),
    Array.from({ length: 20 }, (_, number) => (number % 2 === 1 ? -1 : number)),
  );
  assert.is(await slots(async () => 'again'), 'again');
});

test('a newcomer does not overtake one that waits', async () => {
  const slots = createSlots(1);
  const order: string[] = [];
  const first = slots(async () => void order.push('first'));
  const second = slots(async () => void order.push('second'));
  const third = first.then(() => slots(async () => void order.push('third')));
  await Promise.all([second, third]);
  assert.equal(order, ['first', 'second', 'third']);
});

test.run();
