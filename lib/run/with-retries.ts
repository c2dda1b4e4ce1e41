import { abortable } from '../base/abortable.ts';
import { isProviderError } from '../models/model.ts';
import { retryDelay } from './retry.ts';
import type { Run } from './run.ts';
import type { CallOutcome } from './run-meter.ts';
import { sleep } from './sleep.ts';

/**
 * Calls `attempt` until it succeeds, fails for good or the run stops; one notice per retry (contract: Retries). Once
 * `hasStreamed` is true a failure is final, whatever it was.
 */
export async function withRetries<T>(run: Run, hasStreamed: () => boolean, attempt: () => Promise<T>): Promise<T> {
  const { clock, config, meter, models } = run.around;
  const policy = config.agent.retry;
  const provider = models.get(run.session.record.model)?.info.provider ?? 'unknown';
  for (let number = 1; ; number++) {
    const startedAt = clock.monotonic();
    const count = (outcome: CallOutcome) => meter.call(provider, outcome, clock.monotonic() - startedAt);
    try {
      const result = await abortable(attempt(), run.signal);
      count('ok');
      return result;
    } catch (error) {
      count(run.signal.aborted ? 'stopped' : 'failed');
      run.signal.throwIfAborted();
      if (hasStreamed() || !isProviderError(error)) throw error;
      const delay = retryDelay(policy, { attempt: number, error, random: Math.random() });
      if (delay === undefined) throw error;
      meter.retry();
      run.notice(
        'warn',
        `${error.message} Trying again in ${(delay / 1000).toFixed(1)} s (attempt ${number + 1} of ${policy.attempts}).`,
      );
      await sleep(clock, delay, run.signal);
    }
  }
}
