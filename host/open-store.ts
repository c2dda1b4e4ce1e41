import type { Clock } from '../lib/base/clock.ts';
import type { Logger } from '../lib/base/log.ts';
import type { Slots } from '../lib/base/slots.ts';
import type { Config } from '../lib/config/config.ts';
import { createFileStore } from '../lib/store/file-store.ts';
import type { SessionStore } from '../lib/store/session-store.ts';

/** The driver that `storage.driver` names, not opened yet. What a driver needs beyond Node is loaded only when it is selected. */
export async function openStore(
  config: Pick<Config, 'storage'>,
  { clock, log, slots }: { clock: Clock; log: Logger; slots?: Slots },
): Promise<SessionStore> {
  const { directory, durability, driver, reserveBytes } = config.storage;
  if (driver === 'sqlite') {
    const { createEmbeddedSqlStore } = await import('../lib/store/sql/open-sql-store.ts');
    return createEmbeddedSqlStore({ directory, durability, reserveBytes, clock, log, ...(slots && { slots }) });
  }
  return createFileStore({ directory, durability, reserveBytes, clock, log, ...(slots && { slots }) });
}
