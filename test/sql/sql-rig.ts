import { systemClock } from '../../lib/base/clock.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import { createEmbeddedSqlStore, type EmbeddedSqlStoreOptions } from '../../lib/store/sql/open-sql-store.ts';
import { silent } from '../store/file-rig.ts';

export function sqlStore(directory: string, options: Partial<EmbeddedSqlStoreOptions> = {}): SessionStore {
  return createEmbeddedSqlStore({ directory, durability: 'full', clock: systemClock, log: silent, ...options });
}
