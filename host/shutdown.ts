import type { App } from '../lib/app.ts';
import { drainGuard } from '../lib/service/built-in-guards.ts';
import type { Listening } from './serve.ts';

export interface ShutdownOptions {
  app: Pick<App, 'clock' | 'close' | 'config' | 'events' | 'guards' | 'log' | 'runs' | 'store'>;
  listening: Pick<Listening, 'close'>;
  /** Ends the process. */
  exit: (code: number) => void;
}

const closingMs = 4_500;
const answersMs = 2_000;
const lookEveryMs = 20;

/**
 * What a signal does. The first one stops gracefully: new runs are refused, active ones get `server.drainMs`, what is
 * left then is stopped as interrupted; streams end after the last event, everything is flushed, exit 0. That takes at
 * most `drainMs` + 4.5 s, by default under 15 s; past it the process exits 1 (acknowledged data is on disk all the time).
 * A second signal exits at once with 128 + its number.
 */
export function createShutdown({ app, listening, exit }: ShutdownOptions): (signal: string, number: number) => void {
  const { clock, config, log } = app;
  let stopping = false;

  async function stop(signal: string): Promise<void> {
    log.info('Stopping.', { signal, activeRuns: app.runs.active });
    // Timers of the clock keep nothing alive: without this the process could end, with 0, in the middle of its stop.
    setInterval(() => undefined, closingMs);
    const cancelDeadline = clock.after(config.server.drainMs + closingMs, () => {
      log.error('Stopping took too long; unfinished work is recovered at the next start.');
      exit(1);
    });
    app.guards.register(drainGuard);
    await drained();
    app.store.giveUp?.();
    await app.runs.stopAll();
    app.events.close();
    await listening.close(answersMs);
    await app.close();
    cancelDeadline();
    log.info('Stopped.');
  }
  function drained(): Promise<void> {
    const end = clock.monotonic() + config.server.drainMs;
    return new Promise((resolve) => {
      const look = (): void => {
        if (app.runs.active === 0 || clock.monotonic() >= end) resolve();
        else clock.after(lookEveryMs, look);
      };
      look();
    });
  }
  return (signal, number) => {
    if (stopping) return exit(128 + number);
    stopping = true;
    stop(signal).then(
      () => exit(0),
      (error: unknown) => {
        log.error('Stopping failed.', { error });
        exit(1);
      },
    );
  };
}
