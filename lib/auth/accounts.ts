import { isoTime } from '../base/clock.ts';
import { ServiceError } from '../wire/errors.ts';
import { defaultTenantId, type Tenant, type User } from '../wire/identity.ts';
import type { IdSource } from '../wire/ids.ts';
import type { AccountsAdmin } from './accounts-admin.ts';
import type { AccountsState, UserRecord } from './accounts-file.ts';
import type { AccountsStore } from './accounts-store.ts';
import { sha256 } from './credential.ts';
import { createToken } from './tokens.ts';

const nameChars = 120;

/** User and tenant management over the stored accounts. `open` is called on the first use. */
export function createAccountsAdmin({
  open,
  now,
  newId,
}: {
  open: () => Promise<AccountsStore>;
  now: () => number;
  newId: IdSource;
}): AccountsAdmin {
  return {
    async users() {
      return (await open()).state.users.map(publicUser);
    },
    async createUser({ name, tenantId = defaultTenantId, role = 'user' }) {
      const { record, token } = withNewToken({
        id: newId('usr'),
        name: checkedName(name),
        tenantId,
        role,
        createdAt: isoTime(now()),
      });
      return (await open()).change((state) => {
        requireTenant(state, tenantId);
        return { next: { ...state, users: [...state.users, record] }, result: { user: publicUser(record), token } };
      });
    },
    async rotateToken(userId) {
      return (await open()).change((state) => {
        const { record, token } = withNewToken(requireUser(state, userId));
        const users = state.users.map((user) => (user.id === userId ? record : user));
        return { next: { ...state, users }, result: { user: publicUser(record), token } };
      });
    },
    async deleteUser(userId) {
      return (await open()).change((state) => {
        const { role } = requireUser(state, userId);
        const users = state.users.filter((user) => user.id !== userId);
        if (role === 'admin' && !users.some((user) => user.role === 'admin'))
          throw new ServiceError('conflict', 'The last administrator cannot be deleted. Create another one first.');
        return { next: { ...state, users }, result: undefined };
      });
    },
    async tenants() {
      return allTenants((await open()).state);
    },
    async createTenant({ id, name }) {
      const displayName = checkedName(name);
      return (await open()).change((state) => {
        const taken = allTenants(state).map((tenant) => tenant.id);
        const tenant = { id: id ?? freeId(displayName, taken), name: displayName, createdAt: isoTime(now()) };
        if (!/^[a-z0-9-]{1,64}$/.test(tenant.id))
          throw invalid('id', '"id" must be 1 to 64 characters of a-z, 0-9 and "-".');
        if (taken.includes(tenant.id))
          throw new ServiceError('conflict', 'A tenant with this "id" exists already. Choose another one.');
        return { next: { ...state, tenants: [...state.tenants, tenant] }, result: tenant };
      });
    },
  };
}

/** The tenants on file, and `default`, which always exists. */
export function allTenants(state: AccountsState): Tenant[] {
  if (state.tenants.some((tenant) => tenant.id === defaultTenantId)) return [...state.tenants];
  return [{ id: defaultTenantId, name: 'Default', createdAt: isoTime(0) }, ...state.tenants];
}

function withNewToken(user: Omit<UserRecord, 'tokenHash'>): { record: UserRecord; token: string } {
  const token = createToken();
  const { lastUsedAt: _spent, ...kept } = user;
  return { record: { ...kept, tokenHash: sha256(token).toString('hex') }, token };
}

function publicUser({ tokenHash: _secret, ...user }: UserRecord): User {
  return user;
}

function requireUser(state: AccountsState, userId: string): UserRecord {
  const user = state.users.find(({ id }) => id === userId);
  if (user === undefined) throw new ServiceError('not_found', 'There is no user with this id.');
  return user;
}

function requireTenant(state: AccountsState, tenantId: string): void {
  if (!allTenants(state).some(({ id }) => id === tenantId))
    throw new ServiceError('not_found', 'There is no tenant with this "tenantId". Create it first.', {
      details: { path: 'tenantId' },
    });
}

function checkedName(value: string): string {
  const name = value.trim();
  if (name === '' || name.length > nameChars)
    throw invalid('name', `"name" must be text of 1 to ${nameChars} characters.`);
  return name;
}

/** A tenant id from a name: `Acme Ltd.` becomes `acme-ltd`, the second one `acme-ltd-2`. */
function freeId(name: string, taken: readonly string[]): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}+/gu, '')
    .replace(/[^a-z0-9]+/g, '-');
  const stem = plain.replace(/^-+|-+$/g, '').slice(0, 56) || 'tenant';
  let id = stem;
  for (let count = 2; taken.includes(id); count++) id = `${stem}-${count}`;
  return id;
}

function invalid(path: string, message: string): ServiceError {
  return new ServiceError('invalid_body', message, { details: { path } });
}
