import type { ChatMessage } from '../../../lib/wire/message.ts';
import type { Asked } from '../invariants/history.ts';
import { type Tenant, tenants } from './life.ts';
import type { Kind } from './provider.ts';
import { SessionModel } from './session-model.ts';
import { noteTotals } from './totals.ts';
import type { World } from './world.ts';
import type { Answer, Detail } from './world-options.ts';

/** What the model of the whole service knows; the part that fast-check passes through a run. */
export class ServiceModel {
  readonly sessions: SessionModel[] = [];
  /** What each session showed last. */
  readonly shown = new Map<string, Detail>();
  /** Approvals that are over: deciding them again is too late. */
  readonly oldApprovals: { sessionId: string; id: string }[] = [];
  /** What every step came to, for comparison with another driver. */
  readonly trace: string[] = [];
  messages = 0;
  commands = 0;
  races = 0;

  living(tenantId?: Tenant): SessionModel[] {
    return this.sessions.filter((session) => !session.deleted && (tenantId ?? session.tenantId) === session.tenantId);
  }
}

/** Model and world side by side: asks the world, tells the model, compares. */
export class Machine {
  constructor(
    readonly model: ServiceModel,
    readonly world: World,
  ) {}

  session(number: number): SessionModel {
    const { sessions } = this.model;
    const found = sessions[number % sessions.length];
    if (!found) throw new Error('There is no session yet.');
    return found;
  }

  /** A text that no other message has. */
  newText(): string {
    this.model.messages += 1;
    return `message ${this.model.messages} of this world`;
  }

  ask(session: SessionModel, asked: Asked, body?: object): Promise<Answer> {
    const [method, tail] = routes[asked.verb] ?? ['POST', asked.verb];
    const suffix = asked.verb === 'decide' ? `approvals/${asked.approvalId}` : tail;
    const path = `/api/sessions/${session.id}${suffix === '' ? '' : `/${suffix}`}`;
    return this.world.ask(session.tenantId, method, path, { asked, ...(body ? { body } : {}) });
  }

  async create(tenantId: Tenant): Promise<Answer> {
    const answer = await this.world.ask(tenantId, 'POST', '/api/sessions', { asked: { verb: 'create' }, body: {} });
    if (answer.status === 201) {
      const { session } = answer.body as { session: { id: string } };
      this.model.sessions.push(new SessionModel(session.id, tenantId, this.world.clock.now));
    }
    return answer;
  }

  post(session: SessionModel, kinds: readonly Kind[], content = this.newText()): Promise<Answer> {
    // A refused message must not touch what the active run is going to get.
    if (!session.busy) this.world.provider.plan(session.id, kinds);
    return this.ask(session, { verb: 'post', content }, { content });
  }

  resume(session: SessionModel, kinds: readonly Kind[]): Promise<Answer> {
    if (!session.busy) this.world.provider.plan(session.id, kinds);
    return this.ask(session, { verb: 'resume' });
  }

  /** Whether the quota of the tenant refuses a run now. */
  overQuota(tenantId: Tenant): boolean {
    const { maxConcurrentRuns = Infinity, maxTokens = Infinity } = tenantId === 'a' ? this.world.options.quota : {};
    const living = this.model.living(tenantId);
    const running = living.filter(({ busy }) => busy).length;
    const tokens = living.reduce((sum, { id }) => sum + (this.model.shown.get(id)?.usage.totalTokens ?? 0), 0);
    return running >= maxConcurrentRuns || tokens + running >= maxTokens;
  }

  /** Fails when an answer is not the one that the contract demands. */
  expect(what: string, answer: Answer, ...allowed: string[]): boolean {
    const got = [answer.status, answer.code].filter(Boolean).join(' ');
    this.model.trace.push(`${what}: ${got}`);
    if (!allowed.includes(got)) throw new Error(`${what} answered ${got}, expected ${allowed.join(' or ')}`);
    return answer.status < 300;
  }

  /** Lets everything come to rest and compares every session with its model. */
  async compare(): Promise<void> {
    const { world, model } = this;
    await world.settle();
    for (const session of model.sessions) {
      const detail = await world.read(session.tenantId, session.id);
      if ((detail === undefined) !== session.deleted)
        throw new Error(`${session.id} is ${detail ? 'there' : 'gone'}, the model says otherwise`);
      if (!detail) continue;
      this.noteApprovals(session.id, detail);
      model.shown.set(session.id, detail);
      if (world.options.contextWindow !== undefined) session.roles = detail.messages.map(({ role }) => role);
      const seen = describe(detail.status, detail.messages, detail.pendingApprovals.length);
      const wanted = `${session.status} [${session.roles.map(short).join('')}] ${session.pendingApprovals}`;
      model.trace.push(seen);
      if (seen !== wanted) throw new Error(`${session.id} is ${seen}, expected ${wanted}`);
    }
    await this.compareTotals();
  }

  /** Takes over what a session shows, after steps whose outcome depends on who came first. No run is active then. */
  async adopt(session: SessionModel): Promise<void> {
    const detail = await this.world.read(session.tenantId, session.id);
    session.run = undefined;
    session.deleted = detail === undefined;
    if (!detail) return;
    this.noteApprovals(session.id, detail);
    this.model.shown.set(session.id, detail);
    session.status = detail.status;
    session.roles = detail.messages.map(({ role }) => role);
    session.open = unanswered(detail.messages);
  }

  private noteApprovals(sessionId: string, detail: Detail): void {
    for (const { id } of this.model.shown.get(sessionId)?.pendingApprovals ?? [])
      if (detail.pendingApprovals.every((pending) => pending.id !== id))
        this.model.oldApprovals.push({ sessionId, id });
  }

  private async compareTotals(): Promise<void> {
    const { world, model } = this;
    for (const tenantId of tenants) {
      const ids = await noteTotals(world, tenantId);
      const living = model.living(tenantId).map(({ id }) => id);
      if (ids.toSorted().join() !== living.toSorted().join())
        throw new Error(`tenant ${tenantId} lists ${ids.join()}, expected ${living.join()}`);
    }
  }
}

const routes: Partial<Record<Asked['verb'], [method: string, tail: string]>> = {
  post: ['POST', 'messages'],
  decide: ['POST', ''],
  patch: ['PATCH', ''],
  delete: ['DELETE', ''],
  checkpoint: ['POST', 'checkpoints'],
};

export function unanswered(messages: readonly ChatMessage[]): number {
  const at = messages.findLastIndex(({ role }) => role !== 'tool');
  return (messages[at]?.toolCalls?.length ?? 0) - (messages.length - 1 - at);
}

function describe(status: string, messages: readonly ChatMessage[], approvals: number): string {
  return `${status} [${messages.map(({ role }) => short(role)).join('')}] ${approvals}`;
}

function short(role: string): string {
  return role.charAt(0);
}
