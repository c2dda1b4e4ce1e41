import { createRandom } from '../../helpers/random.ts';
import { type RunningService, startService } from '../../helpers/running-service.ts';
import { eventually } from '../../helpers/within.ts';
import type { Reading } from '../invariants/history.ts';
import {
  descriptorsOf,
  megabytes,
  memoryOf,
  noProcessFigures,
  processesWith,
  slopeOf,
} from '../service/process-figures.ts';
import { SessionFacts } from '../service/session-facts.ts';
import { type Tally, type Visit, visit } from '../service/visitor.ts';
import { watchEvents } from '../service/watcher.ts';
import type { Trial, TrialOptions } from '../trial.ts';

const visitors = 6;
const lifeMs = 6_000;
/** What happens in less says nothing about an hour. */
const shortestWindowMs = 120_000;
/** From here on a slope is a promise; below, the garbage collector and warming code have a large part in it. */
const tellingWindowMs = 60 * 60_000;
const mostMegabytesPerHour = 1;

/**
 * The built service under everyday use: first through many `kill -9`, each followed by a look at every session, then in one
 * long life whose memory, descriptors and processes must stay flat.
 */
export const soak: Trial = {
  name: 'soak',
  cycle: 'a life of the service, ended by kill -9 (the last one by its end)',
  async run(options) {
    if (noProcessFigures) return { cycles: 0, acknowledged: 0, lost: 0, violations: [], skipped: noProcessFigures };
    const { ms } = options;
    const started = performance.now();
    const spent = (): number => performance.now() - started;
    const world = new Soak(options, await startService({ settings }));
    let lives = 0;
    try {
      do {
        await world.liveAndDie(Math.min(lifeMs, ms * 0.2));
        lives += 1;
      } while (spent() < ms * 0.4 && world.broken.length === 0);
      const figures = await world.liveLong(Math.max(2_000, ms - spent()));
      const { acknowledged, runs } = world.tally;
      const lost = world.broken.filter((text) => text.startsWith('I2 ')).length;
      return {
        cycles: lives + 1,
        acknowledged,
        lost,
        violations: world.broken,
        figures: { runs: `${runs}`, ...figures },
      };
    } finally {
      await world.service.kill().catch(() => undefined);
    }
  },
};

const settings = {
  plugins: { config: { 'demo-model': { delayMs: 0 } } },
  checkpoints: { enabled: false },
  log: { level: 'warn' },
};

class Soak {
  readonly broken: string[] = [];
  readonly tally: Tally = { acknowledged: 0, runs: 0, deleted: [] };
  private readonly facts = new SessionFacts();
  private readonly word: string;
  private readonly random;

  constructor(
    private readonly options: TrialOptions,
    public service: RunningService,
  ) {
    this.random = createRandom(options.seed);
    // Part of a number, so that `sleep` takes it.
    this.word = `${process.pid}${options.seed}`;
  }

  /** Use for this long, `kill -9` in the middle of it, a new process, and a look at what it has. */
  async liveAndDie(ms: number): Promise<void> {
    const life = await this.populate();
    await new Promise((resolve) => setTimeout(resolve, ms));
    life.end();
    await this.service.kill();
    await life.over;
    this.facts.crashed();
    this.service = await this.service.restart();
    await this.inspect();
  }

  /** Use for this long without a crash. Resolves with what memory, descriptors and processes did meanwhile. */
  async liveLong(ms: number): Promise<Record<string, string>> {
    const { pid } = this.service;
    const life = await this.populate();
    const started = performance.now();
    const points: [number, number][] = [];
    const open: number[] = [];
    while (performance.now() - started < ms) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      points.push([performance.now() - started, memoryOf(pid)]);
      open.push(descriptorsOf(pid));
    }
    life.end();
    await life.over;
    await this.expectNoProcess('the last run');
    const early = Math.max(...open.slice(0, Math.ceil(open.length / 2)));
    const late = Math.min(...open.slice(-5));
    if (late > early + 5) this.report(`${early} descriptors were open at first, ${late} are at the end`);
    const warm = points.filter(([at]) => at > ms / 3);
    const window = (warm.at(-1)?.[0] ?? 0) - (warm[0]?.[0] ?? 0);
    const perHour = slopeOf(warm) * 3_600_000;
    if (window >= tellingWindowMs && perHour > mostMegabytesPerHour * 1024 * 1024)
      this.report(`memory grows by ${megabytes(perHour)} in an hour`);
    const slope = `${(perHour / 1024 / 1024).toFixed(1)} MB/h over ${Math.round(window / 1000)} s`;
    return {
      slope: window < shortestWindowMs ? `not told by ${Math.round(window / 1000)} s` : slope,
      memory: megabytes(warm.at(-1)?.[1] ?? 0),
      descriptors: `${early} at first, ${late} at the end`,
    };
  }

  /** Visitors and one watcher, until `end`. */
  private async populate(): Promise<{ end(): void; over: Promise<void> }> {
    let over = false;
    const { service, facts, random, word } = this;
    const watcher = await watchEvents(service.url, (envelope) => facts.take(envelope));
    const around: Visit = { service, facts, random, word, seen: watcher.seen, isOver: () => over };
    const work = Array.from({ length: visitors }, () => visit(around, this.tally));
    const done = Promise.all(work).then(async (found) => {
      watcher.stop();
      await watcher.ended;
      for (const text of [...found.flat(), ...facts.broken.splice(0)]) this.report(text);
    });
    return {
      end: () => {
        over = true;
      },
      over: done,
    };
  }

  /** What a new process has: every message that was accepted, no session that was deleted, nothing of a tool. */
  private async inspect(): Promise<void> {
    for (const id of this.facts.opened) {
      const response = await this.service.fetch(`/api/sessions/${id}`);
      const { session } = (await response.json()) as { session?: Reading };
      if (session) this.facts.read(session);
      for (const text of this.facts.close(id)) this.report(text);
      if (session) await this.service.fetch(`/api/sessions/${id}`, { method: 'DELETE' });
    }
    for (const id of this.tally.deleted.splice(0)) {
      const { status } = await this.service.fetch(`/api/sessions/${id}`);
      if (status !== 404) this.report(`I16 ${id} answers ${status} after its deletion and a crash`);
    }
    await this.expectNoProcess('a boot');
  }

  private async expectNoProcess(when: string): Promise<void> {
    const left = () => processesWith(this.word);
    await eventually(5_000, () => left().length === 0).catch(() =>
      this.report(`I21 ${left().length} processes are left 5 s after ${when}: ${left()[0]}`),
    );
  }

  private report(text: string): void {
    this.broken.push(text);
    this.options.note(`seed ${this.options.seed}: ${text}`);
  }
}
