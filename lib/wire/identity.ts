export type UserRole = 'admin' | 'user';

export interface User {
  id: string;
  name: string;
  tenantId: string;
  role: UserRole;
  createdAt: string;
  lastUsedAt?: string;
}

export interface Tenant {
  id: string;
  name: string;
  createdAt: string;
}

/** Creation and rotation: the only answers that ever carry a token. */
export interface IssuedToken {
  user: User;
  token: string;
}

/** `GET /api/auth/me`. `user` is null where nobody in particular is calling. */
export interface Caller {
  mode: 'none' | 'token' | 'accounts';
  user: { id: string; name: string; role: UserRole } | null;
  tenant: { id: string; name: string };
}

export const defaultTenantId = 'default';
