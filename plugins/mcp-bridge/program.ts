import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { findProgram, markerName } from '../../lib/plugin-api/index.ts';

/** What a child process gets of the service's environment: enough to find programs and a home, nothing that is a credential. */
const passed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER'];

export interface Program {
  /** Program and arguments; never goes through a shell. */
  argv: [string, ...string[]];
  cwd: string;
  env: Record<string, string>;
  /** The value of the variable that all processes of this server inherit. */
  marker: string;
}

/**
 * Prepares the process of a server. Where `setpriv` can do it, the kernel kills the process when the service ends,
 * however that happens. Throws when the command or the directory is not there.
 */
export async function prepareProgram(
  { command, args, env, cwd }: { command: string; args: string[]; env: Record<string, string>; cwd: string },
  { marker, guard }: { marker: string; guard: readonly string[] },
): Promise<Program> {
  if (!(await stat(cwd).catch(() => undefined))?.isDirectory()) throw new Error(`"cwd" is not a directory (${cwd}).`);
  const own = passed.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  const environment: Record<string, string> = { ...Object.fromEntries(own), ...env };
  const file = await findProgram(command, { path: environment.PATH, directory: cwd });
  if (file === undefined) throw new Error(`The command "${command}" was not found, or can't be executed.`);
  const [first = file, ...rest] = [...guard, file, ...args];
  return { argv: [first, ...rest], cwd, env: { ...environment, [markerName]: marker }, marker };
}

/** The words in front of a command that bind its life to ours; empty where the system can't do it. */
export async function findGuard(): Promise<string[]> {
  const setpriv = process.platform === 'linux' ? await findProgram('setpriv') : undefined;
  const nothing = setpriv && (await findProgram('true'));
  if (setpriv === undefined || nothing === undefined) return [];
  const words = [setpriv, '--pdeathsig', 'KILL', '--'];
  const works = await new Promise<boolean>((resolve) => {
    execFile(setpriv, [...words.slice(1), nothing], { timeout: 2_000 }, (error) => resolve(error === null));
  });
  return works ? words : [];
}
