import { type Clock, isoTime } from '../base/clock.ts';
import { ConfigError } from '../base/config-error.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { defaultTenantId } from '../wire/identity.ts';
import type { IdSource } from '../wire/ids.ts';
import type { AccountsStore } from './accounts-store.ts';
import type { SignIn } from './sign-in.ts';
import { hashToken } from './tokens.ts';

const shortTokenChars = 20;

/**
 * The first-run administrator of mode accounts. It is made only while no administrator exists: a bootstrap token that
 * stays in the configuration does not bring back a rotated or deleted one. Throws ConfigError when nobody could sign in.
 */
export async function bootstrapAdministrator({
  store,
  config,
  signIn,
  clock,
  log,
  newId,
}: {
  store: AccountsStore;
  config: Pick<Config, 'auth'>;
  signIn: SignIn;
  clock: Clock;
  log: Logger;
  newId: IdSource;
}): Promise<void> {
  const { bootstrapToken, bootstrapName } = config.auth;
  if (!store.state.users.some((user) => user.role === 'admin')) {
    if (bootstrapToken !== '') await create();
    else if (store.state.users.length === 0)
      throw new ConfigError(
        'auth.mode is "accounts", but there is no user yet. Set auth.bootstrapToken (SERVICE_BOOTSTRAP_TOKEN) to a long secret: it becomes the first administrator\'s token.',
      );
    else log.warn('No user is an administrator; set auth.bootstrapToken to create one at the next start.');
  }
  if (bootstrapToken !== '') signIn.expect(bootstrapToken);

  async function create(): Promise<void> {
    if (bootstrapToken.length < shortTokenChars)
      log.warn(`auth.bootstrapToken is shorter than ${shortTokenChars} characters and can be guessed; rotate it soon.`);
    const administrator = {
      id: newId('usr'),
      name: bootstrapName,
      tenantId: defaultTenantId,
      role: 'admin',
      createdAt: isoTime(clock.now()),
      tokenHash: await hashToken(bootstrapToken),
    } as const;
    await store.change((state) => ({ next: { ...state, users: [...state.users, administrator] }, result: undefined }));
    log.info('The first administrator was created from auth.bootstrapToken.', { name: bootstrapName });
  }
}
