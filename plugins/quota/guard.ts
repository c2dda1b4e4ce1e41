import { type Services, type SessionGuard, SessionGuardError } from '../../lib/plugin-api/index.ts';
import { limitsOf, type Options } from './limits.ts';

/** When it makes sense to ask again whether a run has ended. */
const retryAfterSeconds = 5;

/**
 * Refuses what would take a tenant over its limits (contract: Errors, rule 3). Sessions are counted when one is created,
 * runs and tokens when one is started; a run that is going on is never cut off. What a provider does not report costs nothing.
 * An active run holds one token until its usage is known: of many that start together, the last tokens go to one.
 */
export function quotaGuard(usage: Services['tenant.usage'], options: Options): SessionGuard {
  return ({ action, tenantId }) => {
    const { maxSessions, maxConcurrentRuns, maxTokens } = limitsOf(options, tenantId);
    if (maxSessions === undefined && maxConcurrentRuns === undefined && maxTokens === undefined) return;
    const { sessions, running, tokens } = usage.of(tenantId);
    if (action === 'create') {
      if (maxSessions !== undefined && sessions >= maxSessions)
        refuse(`This tenant keeps ${sessions} of ${maxSessions} sessions. Delete one to create another.`);
      return;
    }
    if (maxTokens !== undefined && tokens >= maxTokens)
      refuse(`This tenant has used ${tokens} of ${maxTokens} tokens. An administrator can raise the limit.`);
    if (maxTokens !== undefined && tokens + running >= maxTokens)
      refuse(
        `The last of ${maxTokens} tokens are being used by ${running} active runs. Try again when one has ended.`,
        {
          retryAfterSeconds,
        },
      );
    if (maxConcurrentRuns !== undefined && running >= maxConcurrentRuns)
      refuse(`${running} of ${maxConcurrentRuns} runs are active. Try again when one has ended.`, {
        retryAfterSeconds,
      });
  };
}

function refuse(message: string, options: { retryAfterSeconds?: number } = {}): never {
  throw new SessionGuardError('quota_exceeded', message, options);
}
