import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { isLoopbackHost } from '../base/loopback.ts';
import type { SecretRegistry } from '../base/secrets.ts';
import { dropUnfinished } from '../base/write-file-atomic.ts';
import type { Config } from '../config/config.ts';
import { defaultTenantId } from '../wire/identity.ts';
import type { IdSource } from '../wire/ids.ts';
import { allTenants, createAccountsAdmin } from './accounts.ts';
import type { AuthService } from './accounts-admin.ts';
import { type AccountsStore, openAccountsStore } from './accounts-store.ts';
import { authenticateAccount, authenticateAnyone, authenticateOperator } from './authenticate.ts';
import { bootstrapAdministrator } from './bootstrap-administrator.ts';
import { createFailureDelay } from './failure-delay.ts';
import { keptOperatorToken, operatorTokenPath } from './operator-token.ts';
import { createSignIn } from './sign-in.ts';

export interface CreateAuthOptions {
  config: Pick<Config, 'auth' | 'server'>;
  /** The data root; accounts live in `<directory>/auth/accounts.json` whatever the storage driver. */
  directory: string;
  clock: Clock;
  log: Logger;
  newId: IdSource;
  /** Learns a generated operator token. */
  secrets?: Pick<SecretRegistry, 'add'> | undefined;
}

/**
 * Contract: Authentication. Modes none and token leave the accounts file alone until a user route asks for it.
 * Throws ConfigError (exit 78) for mode accounts without any way in, and for a damaged accounts file.
 */
export async function createAuth(options: CreateAuthOptions): Promise<AuthService> {
  const { config, directory, clock, log, newId, secrets } = options;
  const { mode } = config.auth;
  const accountsPath = join(directory, 'auth', 'accounts.json');
  for (const path of [accountsPath, operatorTokenPath(directory)]) await dropUnfinished(path);
  const signIn = createSignIn();
  const tenantNames = new Map<string, string>();
  let opening: Promise<AccountsStore> | undefined;

  function open(): Promise<AccountsStore> {
    opening ??= openAccountsStore({
      path: accountsPath,
      clock,
      log,
      changed(state) {
        signIn.update(state);
        for (const { id, name } of allTenants(state)) tenantNames.set(id, name);
      },
    });
    // A file that was damaged may be put right without a restart.
    opening.catch(() => {
      opening = undefined;
    });
    return opening;
  }
  const operator = mode === 'token' ? await operatorToken(config.server.token, directory) : undefined;
  if (operator !== undefined) secrets?.add(operator.token);
  if (mode === 'accounts') await bootstrapAdministrator({ store: await open(), config, signIn, clock, log, newId });
  if (mode === 'none' && !isLoopbackHost(config.server.host))
    log.warn(
      'ANYONE who can reach this address can use the service and its tools: auth.mode is "none" and server.host is not loopback. Set server.token.',
      { host: config.server.host },
    );
  const failures = createFailureDelay(clock);
  return {
    mode,
    authenticate:
      operator !== undefined
        ? authenticateOperator({ token: operator.token, failures })
        : mode === 'accounts'
          ? authenticateAccount({ signIn, store: await open(), failures })
          : authenticateAnyone(),
    isValid: (principal) => principal.kind !== 'user' || signIn.isValid(principal),
    whenRevoked: (principal, fn) => (principal.kind === 'user' ? signIn.whenRevoked(principal, fn) : () => undefined),
    tenantName: (tenantId) => tenantNames.get(tenantId) ?? (tenantId === defaultTenantId ? 'Default' : tenantId),
    tenantIds: () => new Set([defaultTenantId, ...tenantNames.keys()]),
    ...createAccountsAdmin({ open, now: clock.now, newId }),
    ...(operator?.issued ? { issuedToken: operator.token } : {}),
    close: async () => (await opening)?.close(),
  };
}

async function operatorToken(configured: string, directory: string): Promise<{ token: string; issued: boolean }> {
  return configured === 'auto' ? keptOperatorToken(directory) : { token: configured, issued: false };
}
