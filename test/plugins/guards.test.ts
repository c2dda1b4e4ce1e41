import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionGuard } from '../../lib/plugin-api/services.ts';
import { createGuards } from '../../lib/service/guards.ts';

const guards = suite('Guards are synchronous: the first rejection wins');

const refusal = () => Object.assign(new Error('full'), { name: 'SessionGuardError', code: 'full' });
const context = { action: 'run', tenantId: 'a', sessionId: 'ses_1' } as const;

guards('in the order of registration; what comes behind the first veto is not asked', () => {
  const asked: string[] = [];
  const { register, check } = createGuards();
  register(() => void asked.push('first'));
  register(() => {
    asked.push('second');
    throw refusal();
  });
  register(() => void asked.push('third'));
  assert.throws(
    () => check(context),
    (error: Error & { status: number }) => error.status === 429,
  );
  assert.equal(asked, ['first', 'second']);
});

guards(
  'one that answers with a promise lets nothing through, whatever the promise comes to and whoever made it',
  async () => {
    const foreign = (): Promise<void> => runInNewContext('Promise.reject(new Error())');
    for (const late of [() => Promise.resolve(), () => Promise.reject(refusal()), foreign]) {
      const { register, check } = createGuards();
      register(late satisfies SessionGuard);
      assert.throws(() => check(context), /guards are synchronous/);
      // A rejection that nobody caught would end this process here.
      await new Promise(setImmediate);
    }
  },
);
guards.run();
