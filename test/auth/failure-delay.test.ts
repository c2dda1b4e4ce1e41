import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFailureDelay } from '../../lib/auth/failure-delay.ts';
import { createFakeClock } from '../helpers/fake-clock.ts';
import { bearer, outcome, startAuth, turn } from './start-auth.ts';

const delays = suite('After 20 failures a minute an address waits 0.25 to 2 s for its 401');

/** How long the answer is held back, by turning the clock until it comes. */
async function heldFor(
  delay: ReturnType<typeof createFailureDelay>,
  clock: ReturnType<typeof createFakeClock>,
  ip: string,
) {
  let answered = false;
  void delay.failed(ip).then(() => {
    answered = true;
  });
  await turn(clock, 0);
  let waited = 0;
  for (; !answered && waited <= 5_000; waited += 50) await turn(clock, 50);
  return waited;
}

async function failing(count: number, ip = '192.0.2.1') {
  const clock = createFakeClock();
  const delay = createFailureDelay(clock);
  for (let failures = 0; failures < count; failures++) await delay.failed(ip);
  return { clock, delay };
}

delays('the first 20 are answered at once', async () => {
  const { clock } = await failing(20);
  assert.is(clock.pending, 0);
});

delays('from there the wait grows from 250 ms to 2 s', async () => {
  const { clock, delay } = await failing(20);
  const waits: number[] = [];
  for (let failures = 0; failures < 10; failures++) waits.push(await heldFor(delay, clock, '192.0.2.1'));
  assert.equal(waits, [250, 500, 750, 1000, 1250, 1500, 1750, 2000, 2000, 2000]);
});

delays('another address is not slowed down', async () => {
  const { clock, delay } = await failing(20);
  assert.is(await heldFor(delay, clock, '192.0.2.2'), 0);
});

delays('a minute later the address starts afresh', async () => {
  const { clock, delay } = await failing(20);
  await turn(clock, 60_000);
  assert.is(await heldFor(delay, clock, '192.0.2.1'), 0);
});

delays('IPv6 addresses count by their /64', async () => {
  const { clock, delay } = await failing(20, '2001:db8::1');
  assert.is(await heldFor(delay, clock, '2001:db8:0:0:ffff::2'), 250);
  assert.is(await heldFor(delay, clock, '2001:db8:0:1::1'), 0);
});

delays('at most 100 answers wait', async () => {
  const { clock, delay } = await failing(20);
  for (let waiting = 0; waiting < 150; waiting++) void delay.failed('192.0.2.1');
  await turn(clock, 0);
  assert.is(clock.pending, 100);
  await turn(clock, 2_000);
  assert.is(clock.pending, 0);
});

delays('a flood from many addresses is forgotten from the oldest on', async () => {
  const { clock, delay } = await failing(20);
  for (let address = 0; address < 10_000; address++) await delay.failed(`198.51.${address >> 8}.${address & 255}`);
  assert.is(await heldFor(delay, clock, '192.0.2.1'), 0);
});

delays.run();

const answers = suite('Whoever failed often still gets 401, and a right token is never held back');

answers('mode token', async () => {
  const { auth, clock } = await startAuth({ token: 'operator-token' });
  for (let failures = 0; failures < 20; failures++)
    assert.is(await outcome(auth.authenticate(bearer('wrong-token'), '192.0.2.1')), 'unauthorized');
  const late = outcome(auth.authenticate(bearer('wrong-token'), '192.0.2.1'));
  await turn(clock, 0);
  assert.is(clock.pending, 1);
  assert.is(await outcome(auth.authenticate(bearer('operator-token'), '192.0.2.1')), 'accepted');
  await turn(clock, 250);
  assert.is(await late, 'unauthorized');
});

answers('a missing token is no guess', async () => {
  const { auth, clock } = await startAuth({ token: 'operator-token' });
  const request = () => new Request('http://127.0.0.1/api/sessions');
  for (let failures = 0; failures < 50; failures++) await outcome(auth.authenticate(request(), '192.0.2.1'));
  assert.is(clock.pending, 0);
});

answers.run();
