import { stackOf } from '../lib/base/caught.ts';
import type { ImportModule } from '../lib/plugins/load-module.ts';
import { type CommandArguments, parseCommandLine, usage, usageError } from './flags.ts';
import { productVersion } from './version.ts';

type Command = (
  env: Readonly<Record<string, string | undefined>>,
  args: CommandArguments,
  importModule: ImportModule,
) => Promise<void>;

/** Loaded when chosen: what one command needs does not slow down another. */
const commands: Record<string, () => Promise<Command>> = {
  serve: async () => (await import('./commands/serve.ts')).serveCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
  config: async () => (await import('./commands/config.ts')).configCommand,
  export: async () => (await import('./commands/export.ts')).exportCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
};

/** The program: what the command line says. `importModule` imports plugins. */
export function start(importModule: ImportModule): void {
  // A closed pipe (`... | head`) must not end the service.
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  main(importModule).catch(fail);
}

async function main(importModule: ImportModule): Promise<void> {
  const { command, help, version, variables, args } = parseCommandLine(process.argv.slice(2));
  if (help) return void process.stdout.write(usage);
  if (version) return void process.stdout.write(`${productVersion()}\n`);
  const load = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (load === undefined) throw usageError('there is no such command');
  const run = await load();
  await run({ ...process.env, ...variables }, args, importModule);
}

/** An error that carries an exit code was written for the person who starts the service: one line, no stack. */
function fail(error: unknown): void {
  const expected = error instanceof Error && 'exitCode' in error && typeof error.exitCode === 'number';
  process.stderr.write(`agent-session-service: ${expected ? error.message : stackOf(error)}\n`);
  process.exit(expected ? Number(error.exitCode) : 70);
}
