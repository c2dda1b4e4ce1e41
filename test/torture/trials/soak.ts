import { createRandom } from '../../helpers/random.ts';
import { type RunningService, startService } from '../../helpers/running-service.ts';
import { tempDirectory } from '../../helpers/temp-directory.ts';
import { eventually } from '../../helpers/within.ts';
import type { Reading } from '../invariants/history.ts';
import { probedEnvironment } from '../service/memory-samples.ts';
import { judgeMemory, watchMemory } from '../service/memory-watch.ts';
import { noProcessFigures, processesWith } from '../service/process-figures.ts';
import { SessionFacts } from '../service/session-facts.ts';
import { type Tally, type Visit, visit } from '../service/visitor.ts';
import { watchEvents } from '../service/watcher.ts';
import type { Trial, TrialOptions } from '../trial.ts';

const visitors = 6;
const lifeMs = 6_000;
/** Of the time, for lives that are ended; the rest is one long life. */
const shareOfKills = 0.1;

/**
 * The built service under everyday use: first through many `kill -9`, each followed by a look at every session, then in one
 * long life whose memory and descriptors, looked at when all garbage is gone, must stay flat, and no process of a tool may be left.
 */
export const soak: Trial = {
  name: 'soak',
  cycle: 'a life of the service, ended by kill -9 (the last one by its end)',
  async run(options) {
    if (noProcessFigures) return { cycles: 0, acknowledged: 0, lost: 0, violations: [], skipped: noProcessFigures };
    const { ms } = options;
    const started = performance.now();
    const spent = (): number => performance.now() - started;
    const directory = tempDirectory('soak');
    const env = probedEnvironment(directory);
    const world = new Soak(options, await startService({ settings, directory, env }));
    let lives = 0;
    try {
      do {
        await world.liveAndDie(Math.min(lifeMs, ms * shareOfKills));
        lives += 1;
      } while (spent() < ms * shareOfKills - lifeMs && world.broken.length === 0);
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
  // A machine that stands still for a moment is not what is tried.
  server: { overloadLagMs: 0 },
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
    const life = await this.populate();
    const { runs } = this.tally;
    const samples = await watchMemory(this.service, ms);
    life.end();
    await life.over;
    await this.expectNoProcess('the last run');
    const { leaks, figures } = judgeMemory(samples);
    for (const leak of leaks) this.report(leak);
    return { ...figures, pace: `${Math.round(((this.tally.runs - runs) / ms) * 3_600_000)} runs/h` };
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
