import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionGuard } from '../../../lib/plugin-api/index.ts';
import { pluginServices } from '../../../lib/service/plugin-services.ts';
import { quotaGuard } from '../../../plugins/quota/guard.ts';
import { createFakeClock, type FakeClock } from '../../helpers/fake-clock.ts';
import { memoryDirectory } from '../../helpers/memory-directory.ts';
import { within } from '../../helpers/within.ts';
import type { Fact, Observation } from '../invariants/history.ts';
import { isRunEnd, sessionOf } from '../invariants/history.ts';
import { canary, copyData, type Life, startLife, type Tenant, tokenOf } from './life.ts';
import { type ScriptedProvider, scriptedProvider } from './provider.ts';
import type { Seams } from './seams.ts';
import { Streams } from './streams.ts';
import { type ToolWorld, toolWorld } from './tools.ts';
import {
  type Answer,
  type AskOptions,
  approvalTimeoutMs,
  type Detail,
  keepRecent,
  maxSteps,
  retryAttempts,
  type Surroundings,
  type Underway,
  type WorldOptions,
} from './world-options.ts';

/** The service over its lives, and everything that is seen of it. */
export class World {
  readonly facts: Fact[] = [];
  readonly clock: FakeClock = createFakeClock();
  readonly streams: Streams;
  /** What the guard of this world throws next. */
  veto: Error | undefined;
  lives = 0;
  private calls = 0;
  private readonly directory = memoryDirectory('machine');
  private readonly abandoned: Life[] = [];
  private readonly sleeping = new Set<string>();
  private readonly asked = new Set<string>();
  private readonly underway = new Set<Underway>();
  private current: Surroundings | undefined;

  private constructor(
    readonly options: WorldOptions,
    private readonly seams: Seams,
  ) {
    this.streams = new Streams(this);
  }

  static async start(options: WorldOptions, seams: Seams = {}): Promise<World> {
    const world = new World(options, seams);
    await world.boot();
    return world;
  }

  get life(): Life {
    return this.here.life;
  }

  get provider(): ScriptedProvider {
    return this.here.provider;
  }

  get tools(): ToolWorld {
    return this.here.tools;
  }

  get bootedAt(): number {
    return this.here.bootedAt;
  }

  private get here(): Surroundings {
    if (!this.current) throw new Error('The world has not started.');
    return this.current;
  }

  get observation(): Observation {
    return { facts: this.facts, secrets: [canary], quotas: { a: this.options.quota } };
  }

  /** Drops the process as it stands and starts another one on a copy of its directory as it stands. */
  async crash(): Promise<void> {
    const { data } = this.life;
    this.abandoned.push(this.life);
    for (const { asked, ...request } of this.underway)
      if (asked) this.facts.push({ kind: 'answer', ...request, asked, status: 0 });
    this.underway.clear();
    this.facts.push({ kind: 'crash' });
    this.streams.lose();
    const next = join(this.directory, `data-${this.lives}`);
    if (this.options.driver === 'file') copyData(data, next);
    await this.boot();
  }

  /** A stop as a person asks for it, and a start on the same data. */
  async restart(): Promise<void> {
    await this.life.app.close();
    await this.crash();
  }

  async boot(): Promise<void> {
    const number = this.lives++;
    const isHere = (): boolean => number === this.lives - 1;
    const see = (fact: Fact): void => void (isHere() && this.facts.push(fact));
    see({ kind: 'boot', life: number });
    this.sleeping.clear();
    this.asked.clear();
    const provider = scriptedProvider(
      canary,
      {
        request: ({ sessionId, messages }) => {
          if (isHere()) this.sleeping.delete(sessionId);
          see({ kind: 'request', sessionId, messages: [...messages] });
        },
        completion: (sessionId, usage, isSummary) =>
          see({ kind: 'completion', sessionId, isSummary, ...(usage ? { usage } : {}) }),
      },
      { nextNumber: () => this.calls++, gate: this.seams.gate },
    );
    const { contextWindow } = this.options;
    if (contextWindow !== undefined) Object.assign(provider.info, { contextWindow });
    const tools = toolWorld(canary, (call) => see({ kind: 'tool', ...call }), this.seams.gate);
    const bootedAt = performance.timeOrigin + performance.now();
    const life = await startLife({
      directory: this.directory,
      data: `data-${number}`,
      driver: this.options.driver,
      store: await this.seams.store?.(join(this.directory, `data-${number}`)),
      transcriptBytes: this.seams.transcriptBytes,
      handlers: this.seams.handlers,
      settings: {
        model: { maxSteps },
        approvals: { timeoutMs: approvalTimeoutMs },
        agent: { compaction: { keepRecent }, retry: { attempts: retryAttempts } },
        checkpoints: { enabled: this.options.checkpoints },
      },
      clock: this.clock,
      model: provider,
      tools: tools.tools,
      log: (text) => see({ kind: 'text', where: 'the log', text }),
    });
    this.current = { life, provider, tools, bootedAt };
    this.plugIn();
    this.life.app.events.listen((scope, envelope) => {
      if (!isHere()) return;
      const tenantId = 'tenantId' in scope ? scope.tenantId : '';
      this.facts.push({ kind: 'event', tenantId, envelope: structuredClone(envelope) });
      this.follow(envelope);
    });
  }

  /** Requests that have no answer yet. */
  get unanswered(): string[] {
    return Array.from(this.underway, ({ asked, sessionId }) => `${asked?.verb ?? 'a reading'} ${sessionId}`);
  }

  /** One request; the answer becomes a fact, and its text too. Never rejects; status 0 says that the process is gone. */
  async ask(tenantId: Tenant, method: string, path: string, { body, asked }: AskOptions = {}): Promise<Answer> {
    const { life } = this;
    const request: Underway = { tenantId, sessionId: path.split('/')[3] ?? '', asked, sent: this.facts.length };
    this.underway.add(request);
    const headers = { authorization: `Bearer ${tokenOf(tenantId)}`, 'x-request-id': 'machine' };
    const response = await life.fetch(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    const text = await response.text();
    if (!this.underway.delete(request)) return { status: 0, code: undefined, body: {} };
    const parsed = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const { status } = response;
    this.facts.push({ kind: 'text', where: `${method} ${path}`, text });
    const { error, session } = parsed as { error?: { code: string }; session?: { id: string } };
    const sessionId = asked?.verb === 'create' ? (session?.id ?? '') : request.sessionId;
    if (asked) this.facts.push({ kind: 'answer', ...request, sessionId, asked, status, body: parsed });
    return { status, code: error?.code, body: parsed };
  }

  /** The session as its tenant sees it, noted as a fact; undefined when it is not there. */
  async read(tenantId: Tenant, sessionId: string, quiet = true): Promise<Detail | undefined> {
    const { status, body } = await this.ask(tenantId, 'GET', `/api/sessions/${sessionId}`);
    if (status !== 200) return undefined;
    const { session } = body as { session: Detail };
    this.facts.push({ kind: 'reading', tenantId, detail: session, quiet });
    return session;
  }

  /** Resolves when nothing goes on by itself: every run waits for the model, a tool, a person or a retry. */
  async settle(): Promise<void> {
    const until = performance.now() + 8_000;
    for (let calm = 0; calm < 2; ) {
      await new Promise((resolve) => setImmediate(resolve));
      calm = this.isCalm() ? calm + 1 : 0;
      if (performance.now() > until) throw new Error(`nothing came to rest: ${this.unrest().join(', ')}`);
    }
  }

  async close(): Promise<void> {
    const lives = [...this.abandoned, this.life];
    // Who waits for the clock would wait for ever. Slowly: a thread ended for being late, in a system call, can take Node 20 with it.
    const turning = setInterval(() => this.clock.advance(100), 5);
    // One that can not be closed has broken a promise that was noticed before.
    await Promise.all(lives.map(({ app }) => within(5_000, app.close()).catch(() => undefined)));
    clearInterval(turning);
    rmSync(this.directory, { recursive: true, force: true });
  }

  isResting(sessionId: string): boolean {
    return (
      this.provider.waits(sessionId) ||
      this.tools.waits(sessionId) ||
      this.asked.has(sessionId) ||
      this.sleeping.has(sessionId)
    );
  }

  private isCalm(): boolean {
    return this.underway.size === 0 && !this.life.isStoring && this.unrest().length === 0;
  }

  private unrest(): string[] {
    const { app } = this.life;
    const restless: string[] = [];
    for (const session of app.sessions.all())
      if (session.activeRunId !== undefined && !this.isResting(session.id)) restless.push(session.id);
    return restless;
  }

  private follow(envelope: Extract<Fact, { kind: 'event' }>['envelope']): void {
    const id = sessionOf(envelope) ?? '';
    const { event } = envelope;
    if (event.type === 'approval.requested') this.asked.add(id);
    if (event.type === 'approval.resolved' || isRunEnd(event.type)) this.asked.delete(id);
    if (event.type === 'notice' && event.message.includes('Trying again')) this.sleeping.add(id);
    if (isRunEnd(event.type)) this.sleeping.delete(id);
  }

  /** What plugins would register: the quota, a guard that this world turns on, a prompt that fails. */
  private plugIn(): void {
    const { app } = this.life;
    const own: SessionGuard = () => {
      if (this.veto) throw this.veto;
    };
    app.guards.register(own);
    const usage = pluginServices(app, () => [])['tenant.usage'];
    app.guards.register(quotaGuard(usage, { default: {}, tenants: { a: this.options.quota } }));
    if (this.options.failingPrompt)
      app.prompts.register(() => {
        throw new Error(`no prompt, but ${canary}`);
      });
  }
}
