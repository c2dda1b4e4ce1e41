import { constants } from 'node:os';
import { systemClock } from '../../lib/base/clock.ts';
import { createRouter } from '../../lib/http/router.ts';
import type { ImportModule } from '../../lib/plugins/load-module.ts';
import { createApp } from '../create-app.ts';
import type { CommandArguments } from '../flags.ts';
import { greeting } from '../greeting.ts';
import { keepNurserySmall } from '../nursery.ts';
import { connectionLimit, fileSlots, openFileLimit, openFilesWarning } from '../open-files.ts';
import { handlers } from '../routes.ts';
import { type Listening, serve } from '../serve.ts';
import { setUp } from '../set-up.ts';
import { createShutdown } from '../shutdown.ts';

/** Starts the service and returns when it is ready; signals end it. */
export async function serveCommand(
  env: Readonly<Record<string, string | undefined>>,
  _: CommandArguments,
  importModule: ImportModule,
): Promise<void> {
  const { config, log, secrets, cwd } = setUp(env, { clock: systemClock });
  let blame: (error: unknown) => string | undefined = () => undefined;
  // Also reached by promises that nobody handles.
  process.on('uncaughtException', (error) => {
    if (blame(error) !== undefined) return;
    log.error('An error that nobody caught ends the service.', { error, stack: error.stack });
    process.exit(70);
  });
  let listening: Listening | undefined;
  const openFiles = openFileLimit();
  const app = await createApp({
    config,
    log,
    secrets,
    cwd,
    importModule,
    fileSlots: fileSlots(openFiles),
    ownPorts: () => (listening === undefined ? [] : [listening.port]),
    onPlugins: (plugins) => {
      blame = plugins.blame;
    },
  });
  const warning = openFilesWarning(openFiles);
  if (warning !== undefined) log.warn(warning);
  try {
    const { host, port } = config.server;
    listening = await serve(createRouter(handlers, app), app, {
      host,
      port,
      maxConnections: connectionLimit(openFiles),
    });
  } catch (error) {
    await app.close();
    throw error;
  }
  const shutdown = createShutdown({ app, listening, exit: process.exit });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
    process.on(signal, () => shutdown(signal, constants.signals[signal]));
  keepNurserySmall();
  process.stdout.write(greeting({ app, port: listening.port }));
}
