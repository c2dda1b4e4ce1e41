import { defaultTenantId } from '../wire/identity.ts';
import type { AccountsStore } from './accounts-store.ts';
import { presentedToken, sameDigest, sha256 } from './credential.ts';
import type { FailureDelay } from './failure-delay.ts';
import type { Auth, Principal } from './principal.ts';
import type { SignIn } from './sign-in.ts';
import { unauthorized } from './unauthorized.ts';

type Authenticate = Auth['authenticate'];

/** Mode none: whoever calls is administrator of the default tenant; a credential sent along is not looked at. */
export function authenticateAnyone(): Authenticate {
  const anonymous: Principal = Object.freeze({ kind: 'anonymous', tenantId: defaultTenantId, admin: true });
  return async () => anonymous;
}

/** Mode token: the one operator token. */
export function authenticateOperator({ token, failures }: { token: string; failures: FailureDelay }): Authenticate {
  const operator: Principal = Object.freeze({ kind: 'operator', tenantId: defaultTenantId, admin: true });
  const expected = sha256(token);
  return async (request, ip) => {
    const presented = presentedToken(request);
    if (presented !== undefined && sameDigest(sha256(presented), expected)) return operator;
    return refuse(presented, { ip, failures });
  };
}

/** Mode accounts: a user's token, which also selects the tenant. */
export function authenticateAccount({
  signIn,
  store,
  failures,
}: {
  signIn: SignIn;
  store: AccountsStore;
  failures: FailureDelay;
}): Authenticate {
  return async (request, ip) => {
    const presented = presentedToken(request);
    const principal = presented === undefined ? undefined : await signIn.find(presented);
    if (principal === undefined) return refuse(presented, { ip, failures });
    if (principal.userId !== undefined) store.used(principal.userId);
    return principal;
  };
}

/** Only a wrong credential counts as a guess; a missing one is how every client learns that it needs one. */
async function refuse(
  presented: string | undefined,
  { ip, failures }: { ip: string; failures: FailureDelay },
): Promise<never> {
  if (presented !== undefined) await failures.failed(ip);
  throw unauthorized();
}
