import { parseArgs } from 'node:util';
import { exitError } from './exit-error.ts';

export interface CommandLine {
  command: string;
  help: boolean;
  version: boolean;
  /** What the flags set, by variable name: written over the environment, so that flags win (contract: Configuration keys). */
  variables: Record<string, string>;
  /** What only some commands take. */
  args: CommandArguments;
}

export interface CommandArguments {
  file?: string;
  accounts: boolean;
  skipBad: boolean;
  online: boolean;
}

/** The commands that take a file behind them. */
const withFile = ['export', 'import'];

const variableOfFlag = {
  host: 'SERVICE_HOST',
  port: 'SERVICE_PORT',
  token: 'SERVICE_TOKEN',
  workspace: 'SERVICE_WORKSPACE',
  config: 'SERVICE_CONFIG',
} as const;

export const usage = `usage: agent-session-service [serve] [flags]

  serve               start the service (the default)
  doctor              look at all that the service needs and say what is missing; exit 1 if it can't work
  config              check the configuration, print what is in effect without secrets, and exit
  export [file]       write all sessions as JSON lines, to standard output without a file; stop the service first
  import <file>       bring an export into this data directory, whatever the storage driver

  --host <host>       address to listen on (127.0.0.1)
  --port <port>       port to listen on, 0 for a free one (7331)
  --token <token>     operator token; "auto" generates one and keeps it; empty for none
  --workspace <dir>   default workspace of new sessions (the current directory)
  --config <file>     configuration file (service.config.json, if there is one)
  --accounts          export, import: users and tenants too
  --skip-bad          import: leave out damaged lines instead of refusing the file
  --online            doctor: ask the model providers too
  --help, --version
`;

/** Throws an error with `exitCode` 64 that says what is wrong; it never repeats a flag's value. */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const { values, positionals } = parse(args);
  const [command = 'serve', ...rest] = positionals;
  const [file, ...more] = rest;
  const surplus = withFile.includes(command) ? more : rest;
  if (surplus.length > 0) throw usageError(`one command at most, not ${positionals.length}`);
  const variables: Record<string, string> = {};
  for (const [flag, variable] of Object.entries(variableOfFlag)) {
    const value = values[flag];
    if (typeof value !== 'string') continue;
    if (value.trim() === '' && flag !== 'token') throw usageError(`--${flag} needs a value`);
    variables[variable] = value;
  }
  const own = {
    ...(withFile.includes(command) && file !== undefined && { file }),
    accounts: values.accounts === true,
    skipBad: values['skip-bad'] === true,
    online: values.online === true,
  };
  return { command, help: values.help === true, version: values.version === true, variables, args: own };
}

/** Ends the program with code 64 and points to `--help`. */
export function usageError(problem: string): Error {
  return exitError(`${problem}. See --help.`, 64);
}

function parse(args: readonly string[]): { values: Record<string, unknown>; positionals: string[] } {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    host: text,
    port: text,
    token: text,
    workspace: text,
    config: text,
    accounts: flag,
    'skip-bad': flag,
    help: { ...flag, short: 'h' },
    version: flag,
    online: flag,
  };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    return { values, positionals };
  } catch (error) {
    throw usageError(
      /'(--?[\w-]+)/.exec(String(error))?.[1]?.concat(' is unknown or lacks its value') ?? 'unclear flags',
    );
  }
}
