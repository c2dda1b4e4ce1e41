import { systemClock } from '../../lib/base/clock.ts';
import { type Check, fail, ok, warn } from '../doctor/check.ts';
import { checkDataDirectory } from '../doctor/data-directory.ts';
import { checkNode } from '../doctor/node.ts';
import { checkPrograms } from '../doctor/programs.ts';
import { checkProviders } from '../doctor/providers.ts';
import type { CommandArguments } from '../flags.ts';
import { openFileLimit, openFilesWarning } from '../open-files.ts';
import { type SetUp, setUp } from '../set-up.ts';

/**
 * Looks at what the service needs, without starting it and beside one that runs. One line per check; exit code 1 when
 * one failed.
 */
export async function doctorCommand(
  env: Readonly<Record<string, string | undefined>>,
  { online }: Pick<CommandArguments, 'online'>,
): Promise<void> {
  const checks = [checkNode(process.version, systemClock.now())];
  let found: SetUp | undefined;
  try {
    found = setUp(env, { clock: systemClock });
    checks.push(ok('Config', 'The configuration is valid.'));
  } catch (error) {
    if (!(error instanceof Error && 'exitCode' in error)) throw error;
    checks.push(fail('Config', error.message));
  }
  if (found) checks.push(...(await checkService(found.config, env, online)));
  const redact = found?.secrets.redact ?? ((text: string) => text);
  for (const check of checks) process.stdout.write(redact(lineOf(check)));
  if (checks.some(({ level }) => level === 'fail')) process.exitCode = 1;
}

async function checkService(config: SetUp['config'], env: NodeJS.ProcessEnv, online: boolean): Promise<Check[]> {
  const openFiles = openFilesWarning(openFileLimit());
  return [
    ...(await checkDataDirectory(config.storage)),
    openFiles === undefined ? ok('Files', 'Enough open files are allowed.') : warn('Files', openFiles),
    ...(await checkPrograms(config)),
    ...(await checkProviders(config, env, { online })),
  ];
}

function lineOf({ level, subject, text }: Check): string {
  return `${level.padEnd(4)}  ${subject.padEnd(8)}  ${text.replace(/\s*\n\s*/g, ' ')}\n`;
}
