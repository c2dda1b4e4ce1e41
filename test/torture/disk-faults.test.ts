import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { strikeAt, strikesFor } from './faults/strike.ts';
import { diskFaultsTrial } from './trials/disk-faults.ts';

const test = suite('a disk that fails at any one call');

test('costs nothing that was acknowledged, whichever call it is and however it fails', async () => {
  const ms = Number.POSITIVE_INFINITY;
  const { cycles, lost, violations, figures } = await diskFaultsTrial.run({ ms, seed: 1, note: () => undefined });
  assert.equal(violations, []);
  assert.is(lost, 0);
  assert.is(figures?.covered, `${cycles} of ${cycles}`);
  assert.ok(cycles > 500, `${cycles} faults`);
});

test('is struck with every error that a call can meet, alone and four times in a row', () => {
  const strikes = strikesFor(['read', 'writeSync']);
  const at = (position: number) => strikes.filter((strike) => strike.at === position).map(({ kind }) => kind);
  assert.equal(new Set(at(1)), new Set(['EIO', 'EMFILE']));
  assert.equal(new Set(at(2)), new Set(['EIO', 'ENOSPC', 'short write']));
  const call = { operation: 'writeSync' as const, path: '', count: 2 };
  assert.throws(() => strikeAt({ kind: 'ENOSPC', at: 1, times: 4 }, call), 'ENOSPC: injected');
  assert.is(strikeAt({ kind: 'short write', at: 2, times: 1 }, call), 'short');
  assert.is(strikeAt({ kind: 'EIO', at: 3, times: 1 }, call), undefined);
});

test.run();
