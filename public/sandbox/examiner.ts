import type { Bundle } from './bundle.ts';
import type { Discovery } from './discover.ts';
import type { Restart } from './restart.ts';

export interface Examiner {
  /** True while a bundle is looked at, or waits for it. */
  readonly busy: boolean;
  /** Finds out what a bundle registers, after those that came before. */
  examine(bundle: Bundle): void;
}

/**
 * Looks at one bundle after the other: in parallel, one that loops would make the others late too. When one does not answer, a
 * frame that stands already may be the reason: all are taken away, and it gets a second chance alone. The same when its document did
 * not even come.
 */
export function createExaminer(options: {
  restart: Restart;
  /** False when the bundle was replaced or stopped meanwhile. */
  isCurrent(bundle: Bundle): boolean;
  run(bundle: Bundle): Promise<Discovery>;
  done(bundle: Bundle, found: Discovery): void;
}): Examiner {
  const { restart, isCurrent } = options;
  let queue: Promise<void> = Promise.resolve();
  let waiting = 0;

  const look = async (bundle: Bundle): Promise<void> => {
    if (!isCurrent(bundle)) return;
    let found = await options.run(bundle);
    if (!found.ok && found.hung) {
      const away = await restart.takeAll();
      if ((away.length > 0 || !found.begun) && isCurrent(bundle)) {
        found = await options.run(bundle);
        if (!found.ok && found.hung) await restart.takeAll();
      }
      await restart.bring(away);
    }
    if (isCurrent(bundle)) options.done(bundle, found);
  };
  return {
    get busy() {
      return waiting > 0;
    },
    examine(bundle) {
      bundle.state = 'checking';
      waiting++;
      queue = queue.then(() => look(bundle)).finally(() => waiting--);
    },
  };
}
