import { dirname } from 'node:path';
import fc from 'fast-check';
import type { Handler } from '../../../lib/http/endpoint.ts';
import { LiveSession } from '../../../lib/session/live-session.ts';
import type { Asked } from '../invariants/history.ts';
import { allowedAnswers } from '../machine/allowed-answers.ts';
import { type Tenant, tenants } from '../machine/life.ts';
import { Machine, ServiceModel } from '../machine/machine.ts';
import type { SessionModel } from '../machine/session-model.ts';
import { noteTotals } from '../machine/totals.ts';
import { World } from '../machine/world.ts';
import type { Answer, WorldOptions } from '../machine/world-options.ts';
import { quiet } from './quiet.ts';
import { ScheduledLog, type ScheduledLogOptions } from './scheduled-log.ts';

/** What is wrong on purpose, so that a test can show that it is found. */
export interface Flaws {
  acknowledges?: ScheduledLogOptions['acknowledges'];
  /** Takes the step that names what a wrong handler waits for. */
  handlers?: (step: (what: string) => Promise<void>) => readonly Handler[];
}

/** One step at a time: what it set in motion comes to rest before the next one is chosen, so that a choice means the same again. */
const steering = fc.scheduler({
  async act(step) {
    await step();
    await quiet();
  },
});

/**
 * The order of everything, as a number. The schedulers that fast-check itself hands to a property share their random numbers
 * while it shrinks: what it reports could not be seen again from its path.
 */
export const orders: fc.Arbitrary<number> = fc.noBias(fc.noShrink(fc.nat()));

export function schedulerOf(order: number): fc.Scheduler {
  const [scheduler] = fc.sample(steering, { seed: order, numRuns: 1 });
  if (!scheduler) throw new Error('fast-check drew no scheduler.');
  return scheduler;
}

/**
 * A world in which nothing happens until the scheduler of fast-check lets it: a sync or a read of the disk, a step of a
 * model, a tool, a request. Who comes first is drawn with everything else, and the same seed draws the same.
 */
export class SteeredWorld {
  /** What a request was answered that it may not be, and other things that need no invariant. */
  readonly broken: string[] = [];
  crashes = 0;
  private readonly log: ScheduledLog;
  private readonly names = new Map<string, number>();

  private constructor(
    readonly machine: Machine,
    readonly scheduler: fc.Scheduler,
    log: ScheduledLog,
  ) {
    this.log = log;
  }

  static async start(
    options: Omit<WorldOptions, 'driver'>,
    scheduler: fc.Scheduler,
    flaws: Flaws = {},
  ): Promise<SteeredWorld> {
    const step = (what: string): Promise<void> => scheduler.schedule(Promise.resolve(), what);
    const { acknowledges = 'durable' } = flaws;
    const log = new ScheduledLog({ gate: step, acknowledges });
    const names: { of(sessionId: string): string } = { of: () => '' };
    const world = await World.start(
      { ...options, driver: 'memory' },
      {
        store: () => log.store(),
        gate: (what, sessionId) => step(`${what} of ${names.of(sessionId)}`),
        handlers: flaws.handlers?.(step),
      },
    );
    const steered = new SteeredWorld(new Machine(new ServiceModel(), world), scheduler, log);
    names.of = (id) => steered.nameOf(id);
    for (const tenant of [...tenants, tenants[0]]) await steered.machine.create(tenant);
    log.isSteered = true;
    return steered;
  }

  get world(): World {
    return this.machine.world;
  }

  /** One of the sessions that nobody asked to delete, or one that was when there is no other. */
  session(number: number): SessionModel {
    const living = this.machine.model.living();
    const found = living[number % Math.max(1, living.length)];
    return found ?? this.machine.session(number);
  }

  /** Sends a request and does not wait: whether it is answered before anything else happens is not ours to say. */
  send(session: SessionModel, asked: Asked, body?: object): void {
    this.note(this.machine.ask(session, asked, body), { verb: asked.verb, session });
  }

  create(tenantId: Tenant): void {
    this.note(this.machine.create(tenantId), { verb: 'create' });
  }

  /** The process ends and another one begins. Who watched it loads everything anew; transcripts are read from the disk again. */
  async crash(survivors: number): Promise<void> {
    const { world, log } = this;
    this.crashes += 1;
    log.crash(survivors);
    await world.crash();
    for (const { tenantId, id } of this.machine.model.sessions) await world.read(tenantId, id);
    for (const session of world.life.app.sessions.all()) if (session instanceof LiveSession) session.evict();
    log.isSteered = true;
  }

  /** When nothing is left to happen: nobody may wait for an answer, and what everybody sees is noted. Then all runs are ended, and it is noted again. */
  async finish(): Promise<void> {
    const { world, scheduler } = this;
    const waiting = world.unanswered;
    if (waiting.length > 0) this.broken.push(`nothing goes on, and nobody answers: ${waiting.join(', ')}`);
    await this.readAll();
    for (const session of this.machine.model.sessions) {
      await scheduler.waitFor(this.machine.ask(session, { verb: 'cancel' }));
      await scheduler.waitIdle();
    }
    world.clock.advance(1_000);
    await scheduler.waitIdle();
    await this.readAll();
    await world.streams.drain();
  }

  /** Every step and everything seen, without what no seed decides: two of the same seed are equal. */
  trace(): string[] {
    const steps = this.scheduler.report().map(({ label, status }) => `${label} ${status}`);
    const facts = this.world.facts.map((fact) => JSON.stringify(fact));
    const directory = dirname(this.world.life.data);
    return [...steps, ...facts].map((line) => line.replaceAll(directory, '')).map(withoutIds());
  }

  private async readAll(): Promise<void> {
    const { world, scheduler } = this;
    for (const { tenantId, id } of this.machine.model.sessions) await scheduler.waitFor(world.read(tenantId, id));
    for (const tenantId of tenants) await noteTotals(world, tenantId);
  }

  private note(answer: Promise<Answer>, { verb, session }: { verb: Asked['verb']; session?: SessionModel }): void {
    if (verb === 'delete' && session) session.deleted = true;
    answer.then(
      ({ status, code }) => {
        const got = [status, code].filter(Boolean).join(' ');
        const gone = session?.deleted === true && got === '404 session_not_found';
        if (status !== 0 && !gone && !(allowedAnswers[verb] ?? []).includes(got))
          this.broken.push(`${verb} answered ${got}`);
      },
      (error: unknown) => this.broken.push(`${verb} threw ${String(error)}`),
    );
  }

  private nameOf(sessionId: string): string {
    const number = this.names.get(sessionId) ?? this.names.size;
    this.names.set(sessionId, number);
    return `session ${number}`;
  }
}

/** Puts numbers, in the order of their first appearance, in the place of ids. */
function withoutIds(): (line: string) => string {
  const numbers = new Map<string, string>();
  return (line) =>
    line.replace(/\b(ses|msg|run|apr|chk|call)_[0-9A-Za-z]{10,}/g, (id, kind: string) => {
      const known = numbers.get(id) ?? `${kind}#${numbers.size}`;
      numbers.set(id, known);
      return known;
    });
}
