import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createRestart } from '../../public/sandbox/restart.ts';
import { eventually } from '../helpers/within.ts';

/** Frames that share a process, as a browser has them, a thousand times faster than it. */
interface World {
  /** Adds a plugin's frame; `hangs` is called whenever it was opened, and returns after how many ms it hangs, if at all. */
  add(id: string, hangs?: () => number | undefined): void;
  /** The machine stands still for a moment. */
  stall(): void;
  /** For so many ms frames that are opened do not even load, whatever else is or is not going on. */
  loadSlowly(ms: number): void;
  standing(): string[];
  quarantined: string[];
  /** How often all fell silent. */
  silences(): number;
  isSilent(): boolean;
  close(): void;
}

const times = {
  emptyMs: 4,
  paceMs: 4,
  lookMs: 1,
  silentMs: 10,
  startMs: 20,
  asideMs: 60,
  maxAsideMs: 2_000,
  calmMs: 5_000,
};
const noticeMs = 10;
const loadNoticeMs = 15;

function createWorld(): World {
  const frames = new Map<string, ReturnType<typeof createFrame>>();
  const quarantined: string[] = [];
  let silentSince: number | undefined;
  let silences = 0;
  let opened = 0;
  let loadsFrom = 0;

  const fallSilent = () => {
    silentSince ??= performance.now();
  };
  const createFrame = (pluginId: string, hangs: () => number | undefined) => {
    let timer: NodeJS.Timeout | undefined;
    return {
      pluginId,
      alive: false,
      begun: false,
      wanted: true,
      settled: true,
      heardAt: 0,
      touchedAt: 0,
      open() {
        if (this.alive || !restart.mayOpen(pluginId)) return;
        this.alive = true;
        this.begun = false;
        this.heardAt = performance.now();
        this.touchedAt = ++opened;
        this.begin();
      },
      /** Its document loads, which needs the process: from here on it is the bundle's time. */
      begin() {
        if (silentSince !== undefined || performance.now() < loadsFrom) {
          timer = setTimeout(() => this.begin(), 1);
          return;
        }
        this.begun = true;
        this.heardAt = performance.now();
        const after = hangs();
        if (after !== undefined) timer = setTimeout(fallSilent, after);
      },
      suspend() {
        this.alive = false;
        clearTimeout(timer);
        // The last frame takes the process with it.
        if ([...frames.values()].every(({ alive }) => !alive)) silentSince = undefined;
      },
      ping() {
        if (!this.alive || !this.begun || silentSince !== undefined) return;
        // A frame answers when the page has nothing else to do.
        setImmediate(() => {
          this.heardAt = performance.now();
        });
      },
    };
  };
  const mounts: ReadonlySet<ReturnType<typeof createFrame>> = new Set();
  const restart = createRestart(mounts, {
    times,
    mayRun: (id) => !quarantined.includes(id),
    quarantine(id) {
      quarantined.push(id);
      frames.get(id)?.suspend();
    },
  });
  const watch = setInterval(() => {
    for (const frame of mounts) frame.ping();
    const now = performance.now();
    const hangs = silentSince !== undefined && now - silentSince > noticeMs;
    const loads = [...mounts].some(({ alive, begun, heardAt }) => alive && !begun && now - heardAt > loadNoticeMs);
    if (restart.busy || !(hangs || loads)) return;
    silences++;
    restart.hang();
  }, 2);

  return {
    add(id, hangs = () => undefined) {
      const frame = createFrame(id, hangs);
      frames.set(id, frame);
      (mounts as Set<typeof frame>).add(frame);
      frame.open();
    },
    stall: fallSilent,
    loadSlowly(ms) {
      loadsFrom = performance.now() + ms;
    },
    standing: () => [...frames.values()].filter(({ alive }) => alive).map(({ pluginId }) => pluginId),
    quarantined,
    silences: () => silences,
    isSilent: () => silentSince !== undefined,
    close() {
      clearInterval(watch);
      restart.stop();
    },
  };
}

const test = suite<{ world: World }>(
  'Of frames that fall silent together, the guilty one is found, and nobody else is lost',
);
test.before.each((context) => {
  context.world = createWorld();
});
test.after.each(({ world }) => world.close());

test('one that hangs a while after it was opened', async ({ world }) => {
  world.add('innocent');
  world.add('guilty', () => 20);
  await eventually(5_000, () => world.quarantined.length > 0, 'a verdict');
  assert.equal(world.quarantined, ['guilty']);
  await eventually(5_000, () => world.standing().join() === 'innocent', 'the other');
});

test('one that is the only one', async ({ world }) => {
  world.add('guilty', () => 20);
  await eventually(5_000, () => world.quarantined.length > 0, 'a verdict');
  assert.equal(world.quarantined, ['guilty']);
});

test('an innocent that was opened last, beside one that hangs now and then', async ({ world }) => {
  world.add('guilty', () => 30);
  world.add('first');
  world.add('last');
  await eventually(10_000, () => world.quarantined.length > 0, 'a verdict');
  assert.equal(world.quarantined, ['guilty']);
  await eventually(5_000, () => world.standing().join() === 'first,last', 'the others');
});

test('one that hangs later than any first patience lasts', async ({ world }) => {
  world.add('guilty', () => 150);
  world.add('last');
  await eventually(20_000, () => world.quarantined.length > 0, 'a verdict');
  assert.equal(world.quarantined, ['guilty']);
});

test('two that hang', async ({ world }) => {
  world.add('one', () => 15);
  world.add('innocent');
  world.add('other', () => 15);
  await eventually(20_000, () => world.quarantined.length > 1, 'two verdicts');
  assert.equal([...world.quarantined].sort(), ['one', 'other']);
  await eventually(5_000, () => world.standing().join() === 'innocent', 'the other');
});

test('a machine that stands still once: nobody is lost, all come back', async ({ world }) => {
  world.add('one');
  world.add('other');
  world.stall();
  await eventually(5_000, () => world.silences() === 1, 'the silence');
  await eventually(5_000, () => world.standing().join() === 'one,other', 'both');
  assert.equal(world.quarantined, []);
});

test('a page that stands still itself while a frame comes back: nobody is lost', async ({ world }) => {
  let opened = 0;
  world.add('one');
  world.add('other', () => {
    if (++opened > 1) setTimeout(standStill, times.lookMs, 40);
    return undefined;
  });
  world.stall();
  await eventually(5_000, () => opened > 1 && world.standing().join() === 'one,other', 'both');
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(world.quarantined, []);
});

/** As a hidden page, whose timers a browser calls once a minute. */
function standStill(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

test('a browser that loads nothing for a while after a silence: nobody ran, so nobody is lost', async ({ world }) => {
  world.add('one');
  world.add('other');
  world.stall();
  world.loadSlowly(300);
  await new Promise((resolve) => setTimeout(resolve, 300));
  await eventually(5_000, () => world.standing().join() === 'one,other', 'both');
  assert.equal(world.quarantined, []);
});

test('one that was opened into the silence of another, and never began, is not asked to stay aside', async ({
  world,
}) => {
  world.add('guilty', () => 20);
  await eventually(5_000, () => world.isSilent(), 'the silence');
  world.add('late');
  await eventually(5_000, () => world.standing().length === 0, 'that all are taken away');
  await eventually(5_000, () => world.standing().length > 0, 'that one comes back');
  assert.equal(world.standing(), ['late']);
  await eventually(5_000, () => world.quarantined.length > 0, 'a verdict');
  assert.equal(world.quarantined, ['guilty']);
});

test('one that hangs once only: nobody is lost', async ({ world }) => {
  let opened = 0;
  world.add('hasty', () => (++opened === 1 ? 10 : undefined));
  world.add('other');
  await eventually(5_000, () => world.silences() === 1, 'the silence');
  await eventually(5_000, () => world.standing().length === 2, 'both');
  assert.equal(world.quarantined, []);
});

test.run();
