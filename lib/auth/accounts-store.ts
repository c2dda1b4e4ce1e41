import type { Clock, Undo } from '../base/clock.ts';
import { isoTime } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { createSlots } from '../base/slots.ts';
import { type AccountsState, readAccounts, writeAccounts } from './accounts-file.ts';

/** The accounts in memory, changed only through `change`. */
export interface AccountsStore {
  readonly state: AccountsState;
  /** One change after the other; each is on disk before the new state becomes visible and before this resolves. */
  change<T>(fn: (state: AccountsState) => { next: AccountsState; result: T }): Promise<T>;
  /** Notes the use of a user's credential; written with the next change or within a minute. */
  used(userId: string): void;
  /** Writes noted uses. */
  close(): Promise<void>;
}

export interface AccountsStoreOptions {
  path: string;
  clock: Clock;
  log: Logger;
  /** Called with every new state. */
  changed: (state: AccountsState) => void;
}

const usesWrittenAfterMs = 60_000;

/** Opens the accounts on file; without a file there are none yet. Throws ConfigError (exit 78) when it is damaged or can't be read. */
export async function openAccountsStore(options: AccountsStoreOptions): Promise<AccountsStore> {
  const { path, clock, log, changed } = options;
  const lastUses = new Map<string, string>();
  let state: AccountsState = (await readAccounts(path)) ?? { users: [], tenants: [] };
  const inTurn = createSlots(1);
  let cancelTimer: Undo | undefined;
  changed(state);

  function change<T>(fn: (state: AccountsState) => { next: AccountsState; result: T }): Promise<T> {
    return inTurn(async () => {
      const { next, result } = fn(state);
      const uses = new Map(lastUses);
      // What is noted of them is the use of a token that is no more.
      const renewed = usersWithNewToken(state, next);
      for (const userId of renewed) uses.delete(userId);
      const complete = withUses(next, uses);
      await writeAccounts(path, complete);
      for (const [userId, at] of uses) if (lastUses.get(userId) === at) lastUses.delete(userId);
      for (const userId of renewed) lastUses.delete(userId);
      state = complete;
      changed(state);
      return result;
    });
  }
  async function writeUses(): Promise<void> {
    cancelTimer?.();
    cancelTimer = undefined;
    if (lastUses.size > 0) await change((current) => ({ next: current, result: undefined }));
    else await inTurn(async () => undefined);
  }
  return {
    get state() {
      return withUses(state, lastUses);
    },
    change,
    used(userId) {
      lastUses.set(userId, isoTime(clock.now()));
      cancelTimer ??= clock.after(usesWrittenAfterMs, () => {
        writeUses().catch((error: unknown) => log.warn('The last use of tokens could not be written.', { error }));
      });
    },
    close: writeUses,
  };
}

function usersWithNewToken(before: AccountsState, after: AccountsState): string[] {
  const hashes = new Map(before.users.map(({ id, tokenHash }) => [id, tokenHash]));
  return after.users.filter(({ id, tokenHash }) => hashes.get(id) !== tokenHash).map(({ id }) => id);
}

function withUses(state: AccountsState, uses: ReadonlyMap<string, string>): AccountsState {
  if (uses.size === 0) return state;
  const users = state.users.map((user) => {
    const lastUsedAt = uses.get(user.id);
    return lastUsedAt === undefined ? user : { ...user, lastUsedAt };
  });
  return { ...state, users };
}
