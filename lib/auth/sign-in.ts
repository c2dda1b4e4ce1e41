import { createSlots } from '../base/slots.ts';
import { ServiceError } from '../wire/errors.ts';
import type { AccountsState, UserRecord } from './accounts-file.ts';
import { sha256 } from './credential.ts';
import type { Principal } from './principal.ts';
import { isGeneratedToken, matchesChosenToken } from './tokens.ts';

/** Finds who a token belongs to, and tells when a credential dies. */
export interface SignIn {
  /** Follows the accounts: call it with every new state. */
  update(state: AccountsState): void;
  /**
   * The user whose token this is. Generated tokens cost one hash; a chosen one costs scrypt the first time it is seen.
   * Rejects with ServiceError `overloaded` (429) while too many others are being looked at: it may be the right one.
   */
  find(token: string): Promise<Principal | undefined>;
  /** False once the credential behind this principal was replaced, changed or deleted. */
  isValid(principal: Principal): boolean;
  /** Runs `fn` once when the credential behind this principal is no longer valid; at once when it already is not. */
  whenRevoked(principal: Principal, fn: () => void): () => void;
  /** Verifies a chosen token ahead of its first use, so that the first request need not wait. */
  expect(token: string): void;
}

interface Entry {
  readonly record: UserRecord;
  readonly principal: Principal;
  readonly listeners: Set<() => void>;
}

const mostWaitingForScrypt = 16;

/** Knows nobody before the first `update`. */
export function createSignIn(): SignIn {
  let byUser = new Map<string, Entry>();
  let byDigest = new Map<string, Entry>();
  /** Digests of chosen tokens that scrypt has accepted, with the hash that accepted them. */
  const accepted = new Map<string, { userId: string; tokenHash: string }>();
  /** What is being looked at, by digest: all requests with one token wait for one answer. */
  const checking = new Map<string, Promise<Principal | undefined>>();
  /** One at a time: guesses must not take the thread pool and 32 MB each. */
  const inTurn = createSlots(1);

  function update(state: AccountsState): void {
    const before = byUser;
    byUser = new Map(state.users.map((record) => [record.id, carryOver(before.get(record.id), record)]));
    byDigest = new Map([...byUser.values()].map((entry) => [entry.record.tokenHash, entry]));
    for (const [digest, { userId, tokenHash }] of accepted)
      if (byUser.get(userId)?.record.tokenHash !== tokenHash) accepted.delete(digest);
    for (const entry of before.values()) if (byUser.get(entry.record.id)?.principal !== entry.principal) revoke(entry);
  }
  function known(digest: string): Principal | undefined {
    const userId = accepted.get(digest)?.userId;
    return (byDigest.get(digest) ?? (userId === undefined ? undefined : byUser.get(userId)))?.principal;
  }
  async function verifyChosen(token: string, digest: string): Promise<Principal | undefined> {
    for (const { record } of byUser.values()) {
      if (!record.tokenHash.startsWith('scrypt$') || known(digest) !== undefined) continue;
      if (!(await matchesChosenToken(token, record.tokenHash))) continue;
      if (byUser.get(record.id)?.record.tokenHash === record.tokenHash)
        accepted.set(digest, { userId: record.id, tokenHash: record.tokenHash });
    }
    return known(digest);
  }
  async function findChosen(token: string, digest: string): Promise<Principal | undefined> {
    const same = checking.get(digest);
    if (same) return same;
    if (checking.size >= mostWaitingForScrypt) throw tooMany();
    const result = inTurn(() => verifyChosen(token, digest)).finally(() => checking.delete(digest));
    checking.set(digest, result);
    return result;
  }
  async function find(token: string): Promise<Principal | undefined> {
    const digest = sha256(token).toString('hex');
    return known(digest) ?? (isGeneratedToken(token) ? undefined : findChosen(token, digest));
  }
  function entryOf(principal: Principal): Entry | undefined {
    const entry = principal.userId === undefined ? undefined : byUser.get(principal.userId);
    return entry?.principal === principal ? entry : undefined;
  }
  return {
    update,
    find,
    isValid: (principal) => entryOf(principal) !== undefined,
    whenRevoked(principal, fn) {
      const entry = entryOf(principal);
      if (!entry) {
        queueMicrotask(fn);
        return () => undefined;
      }
      entry.listeners.add(fn);
      return () => entry.listeners.delete(fn);
    },
    expect: (token) => void find(token).catch(() => undefined),
  };
}

function tooMany(): ServiceError {
  return new ServiceError('overloaded', 'Too many tokens are being checked. Try again in a moment.', {
    status: 429,
    headers: { 'retry-after': '2' },
  });
}

/** The same entry, and so the same principal, as long as the credential and what it grants stay the same. */
function carryOver(before: Entry | undefined, record: UserRecord): Entry {
  const same =
    before !== undefined &&
    before.record.tokenHash === record.tokenHash &&
    before.record.role === record.role &&
    before.record.tenantId === record.tenantId &&
    before.record.name === record.name;
  if (same) return before;
  const { id: userId, name, tenantId, role } = record;
  const principal = Object.freeze({ kind: 'user', tenantId, admin: role === 'admin', userId, name } as const);
  return { record, principal, listeners: new Set() };
}

function revoke(entry: Entry): void {
  const listeners = [...entry.listeners];
  entry.listeners.clear();
  for (const listener of listeners) listener();
}
