import type { IssuedToken } from '../../lib/wire/identity.ts';
import type { SessionDetail } from '../../lib/wire/session.ts';
import type { TestApp } from '../helpers/test-app.ts';

export const bootstrapToken = 'a-long-bootstrap-token-for-tests';

/** The environment of a service in mode accounts. */
export const accounts = { SERVICE_AUTH_MODE: 'accounts', SERVICE_BOOTSTRAP_TOKEN: bootstrapToken };

export function bearer(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

export interface Person extends IssuedToken {
  headers: Record<string, string>;
}

/** A user made by the administrator whose headers are given; the tenant is made when it is new. */
export async function person(
  { call }: Pick<TestApp, 'call'>,
  fields: { name: string; tenantId?: string; role?: 'admin' | 'user' },
  admin = bearer(bootstrapToken),
): Promise<Person> {
  const { tenantId } = fields;
  if (tenantId !== undefined) {
    const { tenants } = await call<{ tenants: { id: string }[] }>('GET', '/api/tenants', { headers: admin });
    if (!tenants.some(({ id }) => id === tenantId))
      await call('POST', '/api/tenants', { status: 201, headers: admin, body: { id: tenantId, name: tenantId } });
  }
  const issued = await call<IssuedToken>('POST', '/api/users', { status: 201, headers: admin, body: fields });
  return { ...issued, headers: bearer(issued.token) };
}

/** A session of that person's tenant. */
export async function sessionOf({ call }: Pick<TestApp, 'call'>, { headers }: Person): Promise<SessionDetail> {
  const made = await call<{ session: SessionDetail }>('POST', '/api/sessions', { status: 201, headers, body: {} });
  return made.session;
}
