import { type EventStream, readEventStream } from '../../helpers/event-stream.ts';
import { sessionOf } from '../invariants/history.ts';
import { type Tenant, tokenOf } from './life.ts';
import type { World } from './world.ts';

interface Open {
  tenantId: Tenant;
  sessionId: string | undefined;
  after: number;
  /** It was asked for what came behind a number. */
  isReplay: boolean;
  life: number;
  stream: EventStream;
}

/** Event streams that clients of a world hold open. What each one brought becomes a fact when it ends. */
export class Streams {
  private readonly open: Open[] = [];
  private readonly lost: { tenantId: Tenant; sessionId: string | undefined; after: number }[] = [];

  constructor(private readonly world: World) {}

  get count(): number {
    return this.open.length;
  }

  /** Subscribes to a session, or to the tenant; with `after` as a client that reconnects. */
  async subscribe(tenantId: Tenant, sessionId: string | undefined, after?: number): Promise<void> {
    const { life, lives } = this.world;
    const abort = new AbortController();
    const from = after ?? life.app.events.lastSeq;
    const headers = {
      authorization: `Bearer ${tokenOf(tenantId)}`,
      ...(after === undefined ? {} : { 'last-event-id': String(after) }),
    };
    const path = sessionId === undefined ? '/api/events' : `/api/sessions/${sessionId}/events`;
    const response = await life.fetch(path, { headers, signal: abort.signal });
    if (response.status !== 200) {
      await response.text();
      return;
    }
    const stream = readEventStream(response, () => abort.abort());
    this.open.push({ tenantId, sessionId, after: from, isReplay: after !== undefined, life: lives - 1, stream });
  }

  /** Ends one stream and opens it again where it was; after a crash, one that the crash cut off. */
  async reconnect(number: number): Promise<void> {
    const cut = this.lost.shift();
    if (cut) return this.subscribe(cut.tenantId, cut.sessionId, cut.after);
    const [open] = this.open.splice(number % Math.max(1, this.open.length), 1);
    if (!open) return;
    this.note(open, false);
    await open.stream.close();
    await this.subscribe(open.tenantId, open.sessionId, this.lastSeq(open));
  }

  /** The process is gone; what the clients had by then is what they come back with. */
  lose(): void {
    for (const open of this.open.splice(0)) {
      this.note(open, false);
      this.lost.push({ tenantId: open.tenantId, sessionId: open.sessionId, after: this.lastSeq(open) });
      void open.stream.close();
    }
  }

  /** Waits until every stream has brought what was published for it, 2 s at most, and ends them. */
  async drain(): Promise<void> {
    for (const open of this.open.splice(0)) {
      const due = this.world.facts.findLast(
        (fact) =>
          fact.kind === 'event' &&
          (open.sessionId === undefined
            ? fact.tenantId === open.tenantId
            : sessionOf(fact.envelope) === open.sessionId),
      );
      const seq = due?.kind === 'event' ? due.envelope.seq : 0;
      const has = (): boolean => this.lastSeq(open) >= seq;
      await open.stream.when(has, { ms: 2_000 }).catch(() => undefined);
      this.note(open, true);
      await open.stream.close();
    }
  }

  private lastSeq({ after, stream }: Open): number {
    return stream.envelopes.at(-1)?.seq ?? after;
  }

  private note({ tenantId, sessionId, after: asked, isReplay, life, stream }: Open, drained: boolean): void {
    // A session's stream that asks for no replay begins with the run that is going on.
    const first = stream.envelopes[0]?.seq ?? Infinity;
    const after = isReplay ? asked : Math.min(asked, first - 1);
    this.world.facts.push({
      kind: 'stream',
      tenantId,
      ...(sessionId === undefined ? {} : { sessionId }),
      after,
      life,
      drained,
      envelopes: [...stream.envelopes],
    });
    this.world.facts.push({ kind: 'text', where: `an event stream of ${sessionId ?? tenantId}`, text: stream.raw });
  }
}
