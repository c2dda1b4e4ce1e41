/** A frame as far as it matters here. */
interface Frame {
  readonly pluginId: string;
  readonly alive: boolean;
  /** Its document runs: from here on it is the bundle's time. */
  readonly begun: boolean;
  readonly wanted: boolean;
  readonly settled: boolean;
  readonly heardAt: number;
  touchedAt: number;
  open(): void;
  suspend(): void;
  ping(): void;
}

export interface Restart {
  /** True while frames are away or coming back. */
  readonly busy: boolean;
  /** False while a frame of the plugin may not be opened: it would join the process that hangs, or it is aside. */
  mayOpen(pluginId: string): boolean;
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
   * Frames fell silent: takes all away and brings them back, but the one that last did something, which stays aside. When they
   * fall silent again another joins it, until those that stand have run for a while. Then all start anew with one of
   * those aside, and so on: silence within the time that the others ran without it convicts it. A machine that stands still
   * costs nobody more than that while. Silence after all are back begins again, with twice the time. Who has not even begun is not
   * blamed: when only such are silent, all start anew, or nothing happens while others answer.
   */
  hang(): void;
  stop(): void;
}

const usual = {
  emptyMs: 2_000,
  paceMs: 1_000,
  lookMs: 200,
  silentMs: 4_000,
  startMs: 10_000,
  asideMs: 15_000,
  maxAsideMs: 240_000,
  calmMs: 600_000,
};
/** Of the time that the others ran without it, a little less counts: they did not start all at once. */
const convictWithin = 0.9;

/** Does nothing by itself: a watchdog says when frames hang. */
export function createRestart(
  mounts: ReadonlySet<Frame>,
  options: {
    mayRun(pluginId: string): boolean;
    quarantine(pluginId: string, reason: string): void;
    times?: typeof usual;
  },
): Restart {
  const { mayRun, quarantine, times = usual } = options;
  const aside: string[] = [];
  let busy = 0;
  let closed = 0;
  let asideMs = times.asideMs;
  let hungAt = Number.NEGATIVE_INFINITY;
  /** Goes up whenever other frames are going to stand: who watched over those before stops. */
  let era = 0;
  /** The one that came back last, and when, while it is on trial. */
  let tried: { id: string; at: number } | undefined;

  const takeAll = async (): Promise<string[]> => {
    const alive = [...mounts].filter((mounted) => mounted.alive);
    for (const mounted of alive) mounted.suspend();
    closed++;
    await pause(times.emptyMs);
    closed--;
    return [...new Set(alive.map(({ pluginId }) => pluginId))];
  };
  const mayOpen = (id: string): boolean => closed === 0 && !aside.includes(id);
  const bring = async (pluginIds: readonly string[]): Promise<void> => {
    busy++;
    const queue = [...pluginIds];
    for (let id = queue.shift(); id !== undefined; id = queue.shift()) {
      if (!mayRun(id) || aside.includes(id)) continue;
      const mine = [...mounts].filter(({ pluginId, wanted }) => pluginId === id && wanted);
      for (const mounted of mine) reopen(mounted);
      const [stands] = await Promise.all([startsUp(mine, times), pause(times.paceMs)]);
      if (stands) continue;
      quarantine(id, 'it hangs while it starts');
      queue.push(...(await takeAll()));
    }
    busy--;
    for (const mounted of mounts)
      if (mounted.wanted && mayRun(mounted.pluginId) && mayOpen(mounted.pluginId)) reopen(mounted);
  };
  /** Once those that stand have run for a while, they start anew with one of those aside. */
  const goOn = async (away: Promise<readonly string[]>): Promise<void> => {
    const mine = ++era;
    await bring(await away);
    if (tried) tried.at = performance.now();
    if (aside.length === 0 && !tried) return;
    if ([...mounts].some(({ alive }) => alive)) await ranFor(asideMs, { mounts, times, isOn: () => era === mine });
    if (era === mine) putBack();
  };
  const putBack = (): void => {
    const id = aside.shift();
    tried = id === undefined ? undefined : { id, at: Number.POSITIVE_INFINITY };
    if (id !== undefined) void goOn(takeAll().then((ids) => [...ids, id]));
  };
  return {
    get busy() {
      return busy + closed > 0;
    },
    mayOpen,
    takeAll,
    bring,
    hang() {
      const now = performance.now();
      const standing = [...mounts].filter(({ alive }) => alive);
      const silent = standing.filter(({ heardAt }) => now - heardAt > times.silentMs / 2);
      const ran = silent.filter(({ begun }) => begun).sort((a, b) => b.touchedAt - a.touchedAt);
      const suspect = (ran.find(({ pluginId }) => pluginId === tried?.id) ?? ran[0])?.pluginId;
      if (suspect === undefined) {
        if (silent.length === standing.length && silent.length > 0) void goOn(takeAll());
        return;
      }
      if (now - hungAt > times.calmMs) asideMs = times.asideMs;
      else if (aside.length === 0 && !tried) asideMs = Math.min(asideMs * 2, times.maxAsideMs);
      hungAt = now;
      const isGuilty = tried?.id === suspect && now - tried.at < asideMs * convictWithin;
      tried = undefined;
      const away = takeAll();
      if (isGuilty) quarantine(suspect, 'the others ran without it and fell silent with it');
      else aside.push(suspect);
      void goOn(away);
    },
    stop() {
      era++;
    },
  };
}

/** It stands again, but nobody did anything in it. */
function reopen(mounted: Frame): void {
  const { touchedAt } = mounted;
  mounted.open();
  mounted.touchedAt = touchedAt || mounted.touchedAt;
}

type Times = typeof usual;

/**
 * False when one of them does not answer, before or while it mounts. One that mounts for long but answers is fine, and one whose
 * document does not come says nothing. Looks count, not time: in a hidden page one comes a minute late, and says no more than any
 * other.
 */
async function startsUp(frames: readonly Frame[], times: Times): Promise<boolean> {
  const silence = new Map<Frame, number>();
  let settledAt = Number.POSITIVE_INFINITY;
  for (let left = times.startMs; left > 0; left -= times.lookMs) {
    await look(frames, silence, times);
    if (frames.every(({ alive, settled }) => settled || !alive)) settledAt = Math.min(settledAt, performance.now());
    if (frames.every(({ alive, heardAt }) => !alive || heardAt > settledAt)) return true;
  }
  return frames.every((frame) => (silence.get(frame) ?? 0) < times.silentMs);
}

/**
 * Resolves when what stands has run for as many looks as go into `ms` and answers: while a frame is silent, it is the watchdog's to
 * say whether it hangs. Resolves soon when `isOn` is false.
 */
async function ranFor(
  ms: number,
  { mounts, times, isOn }: { mounts: ReadonlySet<Frame>; times: Times; isOn(): boolean },
): Promise<void> {
  const silence = new Map<Frame, number>();
  let left = ms;
  let allAnswer = true;
  while (isOn() && (left > 0 || !allAnswer)) {
    const standing = [...mounts].filter(({ alive }) => alive);
    await look(standing, silence, times);
    left -= times.lookMs;
    allAnswer = standing.every((frame) => frame.begun && silence.get(frame) === 0);
  }
}

/** Asks all of them and waits a moment. Adds it to the silence of those that run and did not answer. */
async function look(frames: readonly Frame[], silence: Map<Frame, number>, { lookMs }: Times): Promise<void> {
  const asked = performance.now();
  for (const frame of frames) frame.ping();
  await pause(lookMs);
  for (const frame of frames)
    silence.set(frame, frame.alive && frame.begun && frame.heardAt < asked ? (silence.get(frame) ?? 0) + lookMs : 0);
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
