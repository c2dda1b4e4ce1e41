import type { Mounted } from './mounted.ts';

export interface Restart {
  /** True while frames are away or coming back. */
  readonly busy: boolean;
  /** True while no frame may be opened: it would join the process that hangs. */
  readonly closed: boolean;
  /**
   * Takes every frame away and waits until the browser has ended the process they share, which takes half a second longer
   * when one of them wants to hear of its end. Returns the plugins that had any.
   */
  takeAll(): Promise<string[]>;
  /**
   * Brings plugins back, one per second, and looks at each: one that hangs again is quarantined, and everything taken away and
   * brought back once more without it. Resolves when all stand.
   */
  bring(pluginIds: readonly string[]): Promise<void>;
  /**
   * Frames fell silent: takes all away and brings them back. Which one it was shows only when it hangs while it mounts; of the
   * others the last that did something is suspected, brought back last, and quarantined when all fall silent again within a
   * minute: once may have been the machine.
   */
  hang(): void;
}

const emptyMs = 2_000;
const paceMs = 1_000;
const lookMs = 200;
const silentMs = 4_000;
const startMs = 10_000;
const againMs = 60_000;

export function createRestart(
  mounts: ReadonlySet<Mounted>,
  options: { mayRun(pluginId: string): boolean; quarantine(pluginId: string, reason: string): void },
): Restart {
  let busy = 0;
  let closed = 0;
  let hungAt = Number.NEGATIVE_INFINITY;

  const takeAll = async (): Promise<string[]> => {
    const alive = [...mounts].filter((mounted) => mounted.alive);
    for (const mounted of alive) mounted.suspend();
    closed++;
    await pause(emptyMs);
    closed--;
    return [...new Set(alive.map(({ pluginId }) => pluginId))];
  };
  const bring = async (pluginIds: readonly string[]): Promise<void> => {
    busy++;
    const queue = [...pluginIds];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      if (!options.mayRun(id)) continue;
      const mine = [...mounts].filter(({ pluginId, wanted }) => pluginId === id && wanted);
      for (const mounted of mine) mounted.open();
      const [stands] = await Promise.all([startsUp(mine), pause(paceMs)]);
      if (stands) continue;
      options.quarantine(id, 'it hangs while it starts');
      queue.push(...(await takeAll()));
    }
    busy--;
    for (const mounted of mounts) if (mounted.wanted && options.mayRun(mounted.pluginId)) mounted.open();
  };
  return {
    get busy() {
      return busy + closed > 0;
    },
    get closed() {
      return closed > 0;
    },
    takeAll,
    bring,
    hang() {
      const alive = [...mounts].filter((mounted) => mounted.alive);
      const [suspect] = alive.sort((a, b) => b.touchedAt - a.touchedAt);
      const isSure = performance.now() - hungAt < againMs && alive.every(({ settled }) => settled);
      const away = takeAll();
      if (suspect && isSure)
        options.quarantine(suspect.pluginId, 'the frames fell silent twice after it did something');
      void away
        .then((ids) => bring(ids.sort((a, b) => Number(a === suspect?.pluginId) - Number(b === suspect?.pluginId))))
        .finally(() => {
          hungAt = performance.now();
        });
    },
  };
}

/** False when one of them does not answer, before or while it mounts. One that mounts for long but answers is fine. */
async function startsUp(frames: readonly Mounted[]): Promise<boolean> {
  const begun = performance.now();
  let settledAt = Number.POSITIVE_INFINITY;
  while (performance.now() - begun < startMs) {
    for (const frame of frames) frame.ping();
    await pause(lookMs);
    if (frames.every(({ alive, settled }) => settled || !alive)) settledAt = Math.min(settledAt, performance.now());
    if (frames.every(({ alive, heardAt }) => !alive || heardAt > settledAt)) return true;
  }
  return frames.every(({ alive, heardAt }) => !alive || performance.now() - heardAt < silentMs);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
