import type { IssuedToken, Tenant, User, UserRole } from '../wire/identity.ts';
import type { Auth } from './principal.ts';

/** Users and tenants, for administrators. It works in every mode; users can sign in only in mode accounts. */
export interface AccountsAdmin {
  users(): Promise<User[]>;
  /** Throws ServiceError `invalid_body`; `not_found` for an unknown tenant. The token is never readable again. */
  createUser(input: { name: string; tenantId?: string; role?: UserRole }): Promise<IssuedToken>;
  /** The old token is dead when this resolves. Throws ServiceError `not_found`. */
  rotateToken(userId: string): Promise<IssuedToken>;
  /** Throws ServiceError `not_found`; `conflict` for the last administrator. */
  deleteUser(userId: string): Promise<void>;
  tenants(): Promise<Tenant[]>;
  /** Without an id, one is made from the name. Throws ServiceError `invalid_body`; `conflict` when the id is taken. */
  createTenant(input: { id?: string; name: string }): Promise<Tenant>;
}

export interface AuthService extends Auth, AccountsAdmin {
  /** The token that this start generated for `server.token: "auto"`: to be shown once. */
  readonly issuedToken?: string;
  /** Writes what is still pending. Idempotent. */
  close(): Promise<void>;
}
