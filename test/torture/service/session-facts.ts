import type { ServerEventEnvelope } from '../../../lib/wire/event.ts';
import { invariants } from '../invariants/all.ts';
import { type Fact, type Reading, sessionOf } from '../invariants/history.ts';

/** What the checks of whole lives need and a client cannot see: what providers counted, and every number of the stream. */
const unseen = new Set(['I5', 'I17', 'I26']);

/** The facts of each session of a running service. A session that is over is checked and forgotten, so that trials can be long. */
export class SessionFacts {
  private readonly lists = new Map<string, Fact[]>();
  /** Breaches of the numbering, which belong to no session. */
  readonly broken: string[] = [];
  events = 0;
  private lastSeq = 0;

  /** For the stream of everything: numbers without a hole. */
  take(envelope: ServerEventEnvelope): void {
    const { seq, event } = envelope;
    this.events += 1;
    if (this.lastSeq > 0 && seq !== this.lastSeq + 1) this.broken.push(`I5 seq ${seq} came after ${this.lastSeq}`);
    if (event.type === 'stream.gap') this.broken.push(`I5 a gap at ${seq} in a stream that was read at once`);
    this.lastSeq = seq;
    const id = sessionOf(envelope);
    if (id !== undefined) this.add(id, { kind: 'event', tenantId: 'default', envelope });
  }

  /** From now on what is seen of this session is kept. */
  open(sessionId: string): void {
    this.lists.set(sessionId, []);
  }

  /** Nothing is kept of a session that is not open. */
  add(sessionId: string, fact: Fact): void {
    this.lists.get(sessionId)?.push(fact);
  }

  /** The end of this run was seen: everything of it is stored. */
  hasEnded(sessionId: string, runId: string): boolean {
    const list = this.lists.get(sessionId) ?? [];
    return list.some((fact) => {
      const event = fact.kind === 'event' ? fact.envelope.event : undefined;
      return (event?.type === 'run.finished' || event?.type === 'run.failed') && event.runId === runId;
    });
  }

  get opened(): string[] {
    return [...this.lists.keys()];
  }

  read(detail: Reading): void {
    this.add(detail.id, { kind: 'reading', tenantId: 'default', detail, quiet: true });
  }

  /** Another process goes on: numbers may jump forward, and every session has lost what was not stored. */
  crashed(): void {
    this.lastSeq = 0;
    for (const list of this.lists.values()) list.push({ kind: 'crash' }, { kind: 'boot', life: 1 });
  }

  /** Every breach of one session, which is forgotten then. */
  close(sessionId: string): string[] {
    const facts = this.lists.get(sessionId) ?? [];
    this.lists.delete(sessionId);
    const observation = { facts, secrets: [], quotas: {} };
    return invariants
      .filter(({ id }) => !unseen.has(id))
      .flatMap(({ id, check }) => check(observation).map((text) => `${id} ${text}`));
  }
}
