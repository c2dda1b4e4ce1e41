import type { App } from '../lib/app.ts';
import { hostGuard } from '../lib/service/built-in-guards.ts';
import { type EventLoopWatch, watchEventLoop } from './watch-event-loop.ts';
import { watchStorage } from './watch-storage.ts';
import { watchTrouble } from './watch-trouble.ts';

export interface HostWatch extends Pick<EventLoopWatch, 'lag'> {
  stop(): void;
}

/**
 * Watches the event loop, the disk and the store, tells administrators, and refuses new work while one of them can't take it.
 * Its guard is asked first when this is called before any plugin is loaded.
 */
export async function watchHost({
  config,
  clock,
  log,
  store,
  events,
  guards,
}: Pick<App, 'config' | 'clock' | 'log' | 'store' | 'events' | 'guards'>): Promise<HostWatch> {
  const loop = watchEventLoop(clock, config.server.overloadLagMs);
  const { directory, minFreeBytes } = config.storage;
  const changed = (missing: number | undefined): void => tellAboutSpace({ log, events }, missing);
  const space = await watchStorage({ directory, minFreeBytes, clock, changed });
  const troubles = watchTrouble({ clock, store, events });
  const trouble = () => store.trouble?.();
  guards.register(hostGuard({ overloaded: loop.overloaded, missingSpace: space.missingSpace, trouble }));
  return {
    lag: loop.lag,
    stop() {
      loop.stop();
      space.stop();
      troubles.stop();
    },
  };
}

/** Administrators hear of a full disk before the store has to refuse anything. */
function tellAboutSpace({ log, events }: Pick<App, 'log' | 'events'>, missing: number | undefined): void {
  const message =
    missing === undefined
      ? 'There is enough space for the data directory again.'
      : 'The data directory is nearly full: new sessions and runs are refused until there is space.';
  log.warn(message, missing === undefined ? {} : { freeBytes: missing });
  events.publish({ adminOnly: true }, { type: 'notice', level: missing === undefined ? 'info' : 'warn', message });
}
