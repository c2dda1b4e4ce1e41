import type { SessionStore } from '../../../lib/store/session-store.ts';
import { commitScripted, wrongWith } from '../../store/scripted-changes.ts';
import { metaKey } from '../crash/inspect.ts';
import type { Expected, Standing } from '../crash/ledger.ts';

/** Sessions that are changed by script, and what a store acknowledged of them. What it refused counts as not asked for. */
export interface AcknowledgedSessions {
  readonly count: number;
  /** Asks for the session's next change. Resolves to whether it was acknowledged. */
  change(store: SessionStore, id: string, tenantId?: string): Promise<boolean>;
  remove(store: SessionStore, id: string): Promise<boolean>;
  mark(store: SessionStore): Promise<boolean>;
  /** Takes what was refused and is there all the same for acknowledged. */
  adopt(found: readonly { id: string; revision: number }[]): void;
  living(): string[];
  deleted(): string[];
  /** What of it a running store can not give back. */
  missing(store: SessionStore): Promise<string[]>;
  expected(): Expected;
}

export function createAcknowledgedSessions(): AcknowledgedSessions {
  const sessions = new Map<string, Standing>();
  const meta = { acknowledged: 0, issued: 0 };
  let count = 0;
  const idsWith = (deletion: Standing['deletion']): string[] =>
    [...sessions].filter(([, each]) => each.deletion === deletion && each.acknowledged > 0).map(([id]) => id);

  return {
    get count() {
      return count;
    },
    async change(store, id, tenantId = 'default') {
      const standing = sessions.get(id) ?? { tenantId, acknowledged: 0, issued: 0, deletion: 'none' };
      sessions.set(id, standing);
      const revision = standing.acknowledged + 1;
      const stored = await succeeds(() => commitScripted(store, id, revision, standing.tenantId));
      if (stored) Object.assign(standing, { acknowledged: revision, issued: revision });
      if (stored) count += 1;
      return stored;
    },
    async remove(store, id) {
      const standing = sessions.get(id);
      if (!standing || standing.acknowledged === 0) return false;
      const { tenantId, acknowledged } = standing;
      const change = { kind: 'deleted' } as const;
      const stored = await succeeds(() =>
        store.commit({ tenantId, sessionId: id, revision: acknowledged + 1, change }),
      );
      if (stored) standing.deletion = 'acknowledged';
      if (stored) count += 1;
      return stored;
    },
    async mark(store) {
      meta.issued += 1;
      const stored = await succeeds(() => store.writeMeta(metaKey, String(meta.issued)));
      if (stored) meta.acknowledged = meta.issued;
      return stored;
    },
    adopt(found) {
      for (const { id, revision } of found) {
        const standing = sessions.get(id);
        if (standing?.acknowledged === revision - 1)
          Object.assign(standing, { acknowledged: revision, issued: revision });
      }
    },
    living: () => idsWith('none'),
    deleted: () => idsWith('acknowledged'),
    async missing(store) {
      const found: string[] = [];
      for (const id of idsWith('none')) {
        const { tenantId = '', acknowledged: revision = 0 } = sessions.get(id) ?? {};
        const wrong = await wrongWith(store, { id, tenantId, revision });
        if (wrong !== undefined) found.push(wrong);
      }
      return found;
    },
    expected: () => ({ sessions, meta }),
  };
}

async function succeeds(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch {
    return false;
  }
}
