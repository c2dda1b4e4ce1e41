import { readFile } from 'node:fs/promises';
import { array, type Infer, is, literal, optional, string, type, union } from 'superstruct';
import { systemCode } from '../base/caught.ts';
import { ConfigError } from '../base/config-error.ts';
import { writeFileAtomic } from '../base/write-file-atomic.ts';

const userRecord = type({
  id: string(),
  name: string(),
  tenantId: string(),
  role: union([literal('admin'), literal('user')]),
  createdAt: string(),
  lastUsedAt: optional(string()),
  /** Hex SHA-256 of a generated token, or `scrypt$salt$key` of a chosen one. */
  tokenHash: string(),
});

const tenantRecord = type({ id: string(), name: string(), createdAt: string() });

const accountsFile = type({ version: literal(1), users: array(userRecord), tenants: array(tenantRecord) });

export type UserRecord = Infer<typeof userRecord>;

/** Everything in `accounts.json`. Treated as immutable: a change makes a new one. */
export interface AccountsState {
  readonly users: readonly UserRecord[];
  readonly tenants: readonly Infer<typeof tenantRecord>[];
}

/** Undefined when there is no file yet. A file that is not ours is never overwritten: throws ConfigError (exit 78). */
export async function readAccounts(path: string): Promise<AccountsState | undefined> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw new ConfigError(`The accounts file ${path} cannot be read. Check its owner and permissions.`);
  }
  const accounts = accountsFrom(parse(source));
  if (!accounts)
    throw new ConfigError(`The accounts file ${path} is damaged. Restore it from a backup or move it away.`);
  return accounts;
}

/** The content of an accounts file that was parsed already. Undefined when it is not one. */
export function accountsFrom(content: unknown): AccountsState | undefined {
  return is(content, accountsFile) ? { users: content.users, tenants: content.tenants } : undefined;
}

/** Whether all users and tenants of `given` are among the `present` ones, whatever has become of them since. */
export function hasAccounts(present: AccountsState, given: AccountsState): boolean {
  const isThere = (kind: keyof AccountsState): boolean => {
    const ids = new Set(present[kind].map(({ id }) => id));
    return given[kind].every(({ id }) => ids.has(id));
  };
  return isThere('users') && isThere('tenants');
}

/** Owner-only, atomic, durable when it resolves. */
export async function writeAccounts(path: string, { users, tenants }: AccountsState): Promise<void> {
  const content = { version: 1, users, tenants };
  await writeFileAtomic(path, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 });
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
