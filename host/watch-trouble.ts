import type { App } from '../lib/app.ts';
import type { StoreTrouble } from '../lib/store/session-store.ts';

const everyMs = 2_000;

const texts: Readonly<Record<StoreTrouble, string>> = {
  full: 'The disk of the data directory is full: only ends of runs and deletions are stored until there is space.',
  'read-only': 'The data directory is read-only: nothing is stored until it can be written again.',
  unavailable: 'The database does not answer: nothing is stored until it does.',
};

/** Tells administrators why the store refuses changes, and that it takes them again. The log has it from the store itself. */
export function watchTrouble({ clock, store, events }: Pick<App, 'clock' | 'store' | 'events'>): { stop(): void } {
  let told: StoreTrouble | undefined;
  let cancel = (): void => undefined;
  const look = (): void => {
    const trouble = store.trouble?.();
    if (trouble !== told) {
      const message = trouble === undefined ? 'Changes are stored again.' : texts[trouble];
      events.publish({ adminOnly: true }, { type: 'notice', level: trouble === undefined ? 'info' : 'error', message });
    }
    told = trouble;
    cancel = clock.after(everyMs, look);
  };
  if (store.trouble) look();
  return { stop: () => cancel() };
}
