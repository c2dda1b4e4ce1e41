import { accessSync, constants, statSync } from 'node:fs';
import { join } from 'node:path';
import { accountsFrom, hasAccounts, readAccounts, writeAccounts } from '../../lib/auth/accounts-file.ts';
import { systemCode } from '../../lib/base/caught.ts';
import { systemClock } from '../../lib/base/clock.ts';
import { isNotStored, isStoreInDoubt } from '../../lib/store/not-stored.ts';
import { type CheckedExport, checkExport } from '../../lib/store/transfer/check-export.ts';
import { importSessions } from '../../lib/store/transfer/import-sessions.ts';
import { exitError } from '../exit-error.ts';
import { type CommandArguments, usageError } from '../flags.ts';
import { openSessions } from '../open-sessions.ts';
import { openStore } from '../open-store.ts';
import { setUp } from '../set-up.ts';

const mostNamed = 20;

/**
 * Brings an export into the configured store. The file is checked as a whole first: when a line is damaged, each one is
 * named and nothing is imported (exit 65), unless `--skip-bad` leaves them out. Exits 66 when there is no such file, 74 when
 * something could not be stored, 78 when a server has the directory.
 */
export async function importCommand(
  env: Readonly<Record<string, string | undefined>>,
  { file, accounts: withAccounts, skipBad }: CommandArguments,
): Promise<void> {
  if (file === undefined) throw usageError('import needs the file to import');
  checkFile(file);
  const { config, log } = setUp(env, { clock: systemClock });
  const accountsPath = join(config.storage.directory, 'auth', 'accounts.json');
  const presentAccounts = withAccounts ? await readAccounts(accountsPath) : undefined;
  const store = await openStore(config, { clock: systemClock, log });
  const { sessions } = await openSessions(store, { log, resident: () => undefined });
  try {
    const existing = new Map(sessions.map((record) => [record.id, record]));
    const checked = await checkExport(file, {
      existing,
      refuseAccounts(content) {
        if (!withAccounts) return undefined;
        const given = accountsFrom(content);
        if (given === undefined) return 'it does not hold accounts';
        if (!presentAccounts || hasAccounts(presentAccounts, given)) return undefined;
        return 'there are other accounts in the data directory already';
      },
    });
    report(checked, skipBad);
    const done = await importSessions({ store, path: file, checked }).catch((error: unknown) => {
      throw cutOff(error);
    });
    const accounts = withAccounts ? accountsFrom(checked.accounts) : undefined;
    const isNew = accounts !== undefined && presentAccounts === undefined;
    if (isNew) await writeAccounts(accountsPath, accounts);
    process.stderr.write(
      `Imported ${done.sessions} sessions with ${done.messages} messages and ${done.images} images ` +
        `(driver ${config.storage.driver})${isNew ? `, ${accounts.users.length} users` : ''}.\n`,
    );
    if (withAccounts && !accounts) process.stderr.write('No accounts were imported.\n');
    if (accounts && !isNew) process.stderr.write('Its accounts were there already.\n');
    if (done.present > 0) process.stderr.write(`${done.present} sessions were there already.\n`);
  } finally {
    await store.close();
  }
}

/** It is read twice: a pipe would be empty the second time. */
function checkFile(file: string): void {
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    const why = systemCode(error) === 'ENOENT' ? 'does not exist' : `can't be read (${systemCode(error)})`;
    throw exitError(`The file ${file} ${why}.`, 66);
  }
  if (!statSync(file).isFile()) throw exitError(`${file} is no regular file: write the export to one first.`, 66);
}

/** What a disk says, in words; any other error as it is. */
function cutOff(error: unknown): unknown {
  const code = systemCode(error) ?? '';
  if (!isNotStored(error) && !isStoreInDoubt(error) && !/^E[A-Z]+$/.test(code)) return error;
  const text = `The import was cut off (${code || 'the store does not answer'}). What is complete stays; importing the same file again goes on from there.`;
  return exitError(text, 74);
}

/** Names what is wrong. Throws when that means that nothing is imported. */
function report({ bad, later }: CheckedExport, skipBad: boolean): void {
  for (const { number, why } of bad.slice(0, mostNamed)) process.stderr.write(`line ${number}: ${why}\n`);
  if (bad.length > mostNamed) process.stderr.write(`and ${bad.length - mostNamed} more\n`);
  if (later)
    throw exitError('A later release wrote this export; nothing was imported. Import it with that release.', 65);
  if (bad.length === 0 || skipBad) return;
  const what = bad.length === 1 ? 'A line is' : `${bad.length} lines are`;
  throw exitError(`${what} damaged; nothing was imported. --skip-bad leaves them out.`, 65);
}
