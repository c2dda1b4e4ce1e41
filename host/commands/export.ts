import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readAccounts } from '../../lib/auth/accounts-file.ts';
import { isoTime, systemClock } from '../../lib/base/clock.ts';
import { exportSessions } from '../../lib/store/transfer/export-sessions.ts';
import { exitError } from '../exit-error.ts';
import type { CommandArguments } from '../flags.ts';
import { openSessions } from '../open-sessions.ts';
import { openStore } from '../open-store.ts';
import { setUp } from '../set-up.ts';
import { productVersion } from '../version.ts';
import { openExportOutput } from './export-output.ts';

/**
 * Writes everything the configured store holds as JSON lines. Exits 78 when a server has the directory, 65 when something
 * could not be read (the rest is written), 74 when the output can't be written. A file takes its place
 * when it is complete.
 */
export async function exportCommand(
  env: Readonly<Record<string, string | undefined>>,
  { file, accounts: withAccounts }: CommandArguments,
): Promise<void> {
  const { config, log } = setUp(env, { clock: systemClock });
  const { directory, driver } = config.storage;
  if (!existsSync(directory)) throw exitError(`There is no data in ${directory}.`, 78);
  const accounts = withAccounts ? await readAccounts(join(directory, 'auth', 'accounts.json')) : undefined;
  const store = await openStore(config, { clock: systemClock, log });
  const { sessions, aside } = await openSessions(store, { log, resident: () => undefined });
  const output = openExportOutput(file);
  try {
    const done = await exportSessions({
      store,
      sessions,
      product: productVersion(),
      driver,
      at: isoTime(systemClock.now()),
      ...(accounts && { accounts: { version: 1, ...accounts } }),
      write: output.write,
    });
    await output.finish();
    process.stderr.write(
      `Exported ${done.sessions} sessions with ${done.messages} messages and ${done.images} images (driver ${driver}).\n`,
    );
    const lost = [
      ...aside.map((sessionId) => ({ sessionId, reason: 'The start could not read it.' })),
      ...done.unreadable,
    ];
    for (const { sessionId, reason } of lost) process.stderr.write(`${sessionId} is left out: ${reason}\n`);
    if (done.lostImages > 0) process.stderr.write(`${done.lostImages} images are left out: they could not be read.\n`);
    if (lost.length > 0) throw exitError(`${lost.length} sessions could not be read.`, 65);
    if (done.lostImages > 0) throw exitError('Some sessions could not be read whole.', 65);
  } finally {
    await output.discard();
    await store.close();
  }
}
