import { type Clock, isoTime } from '../base/clock.ts';
import type { EventBus, EventScope } from '../events/event-bus.ts';
import { applyToMessages, lengthAfter, type SessionChange, type SessionState } from '../store/change.ts';
import type { SessionStore } from '../store/session-store.ts';
import { ServiceError } from '../wire/errors.ts';
import type { SessionEvent } from '../wire/event.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { SessionRecord } from '../wire/session.ts';
import type { OutgoingEvent, Session } from './session.ts';
import { undoOf } from './undo-change.ts';

/** What a session needs of its surroundings, and what it tells them. */
export interface SessionSurroundings {
  store: SessionStore;
  events: EventBus;
  clock: Clock;
  changeTime(tenantId: string): number;
  /** It has another record. */
  replaced(session: LiveSession): void;
  /** It was changed now, and so is the last in the order of changes. */
  changed(session: LiveSession): void;
  /** Changes were taken back: it is as it was some time ago. */
  reverted(session: LiveSession): void;
  /** Its transcript came into memory. */
  loaded(session: LiveSession): void;
}

interface PendingCommit {
  send(): Promise<void>;
  undo(): void;
  events: OutgoingEvent[];
  /** Subscribers get the events without the rest of the turn. */
  atOnce: boolean;
  stored: Promise<void>;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The session in memory. Commits reach the store one at a time per session (the store groups those of different
 * sessions), so a change that can't be stored takes those behind it along and the revisions never have a hole.
 */
export class LiveSession implements Session {
  readonly id: string;
  readonly tenantId: string;
  activeRunId: string | undefined;
  removed = false;
  /** Monotonic milliseconds of the last use of the transcript. */
  usedAt = 0;
  private current: SessionRecord;
  private transcript: StoredMessage[] | undefined;
  private loading: Promise<void> | undefined;
  private readonly pending: PendingCommit[] = [];
  private readonly scope: EventScope;

  constructor(
    record: SessionRecord,
    private readonly around: SessionSurroundings,
    transcript?: StoredMessage[],
  ) {
    this.id = record.id;
    this.tenantId = record.tenantId;
    this.current = record;
    this.transcript = transcript;
    this.scope = { tenantId: record.tenantId, sessionId: record.id };
  }

  get record(): SessionRecord {
    return this.current;
  }

  set record(record: SessionRecord) {
    this.current = record;
    this.around.replaced(this);
  }

  get messages(): readonly StoredMessage[] {
    if (!this.transcript) throw new Error(`The transcript of ${this.id} is not loaded.`);
    return this.transcript;
  }

  /** The whole session when its transcript is in memory. */
  get resident(): SessionState | undefined {
    return this.transcript && { record: this.record, messages: this.transcript };
  }

  /** True when the transcript may leave memory: nothing is being written and no run is active. */
  get evictable(): boolean {
    return this.transcript !== undefined && this.isSettled && this.activeRunId === undefined;
  }

  evict(): void {
    this.transcript = undefined;
  }

  async load(): Promise<void> {
    this.usedAt = this.around.clock.monotonic();
    if (this.transcript) return;
    this.loading ??= this.around.store
      .readMessages(this.tenantId, this.id)
      .then((messages) => {
        this.transcript ??= messages;
        this.around.loaded(this);
      })
      .finally(() => {
        this.loading = undefined;
      });
    await this.loading.catch((error: unknown) => {
      throw this.removed ? deletedMeanwhile() : error;
    });
  }

  commit(change: SessionChange, events?: (record: SessionRecord) => readonly OutgoingEvent[]): Promise<void> {
    if (this.removed) return Promise.reject(deletedMeanwhile());
    const before = this.record;
    const revertMessages = undoOf(this.transcript, change);
    const commit = { tenantId: this.tenantId, sessionId: this.id, ...this.apply(change) };
    const { stored, resolve, reject } = promised();
    this.pending.push({
      send: () => this.around.store.commit(commit),
      undo: () => {
        revertMessages();
        this.record = before;
        this.removed = false;
      },
      events: [...(events?.(this.record) ?? [])],
      atOnce: false,
      stored,
      resolve,
      reject,
    });
    if (this.pending.length === 1) void this.drain();
    return stored;
  }

  async settled(): Promise<void> {
    await this.pending.at(-1)?.stored.catch(() => undefined);
  }

  get isSettled(): boolean {
    return this.pending.length === 0;
  }

  publish(event: SessionEvent, { atOnce = false }: { atOnce?: boolean } = {}): void {
    // What a run that is being cancelled still has to say: a deletion is the last event of a session.
    if (this.removed) return;
    const last = this.pending.at(-1);
    if (last) {
      last.events.push(event);
      last.atOnce ||= atOnce;
      return;
    }
    this.around.events.publish(this.scope, event);
    if (atOnce) this.around.events.deliver();
  }

  setStatusInMemory(status: SessionRecord['status']): void {
    this.record = { ...this.record, status };
  }

  private apply(change: SessionChange): { revision: number; change: SessionChange } {
    if (change.kind === 'created') {
      this.around.changed(this);
      return { revision: this.record.revision, change };
    }
    const revision = this.record.revision + 1;
    if (change.kind === 'deleted') {
      this.removed = true;
      this.record = { ...this.record, revision };
      return { revision, change };
    }
    if (this.transcript) applyToMessages(this.transcript, change);
    const updatedAt = isoTime(this.around.changeTime(this.tenantId));
    const fields = { ...change.fields, updatedAt, messageCount: lengthAfter(this.record.messageCount, change) };
    this.record = { ...this.record, ...fields, revision };
    this.around.changed(this);
    return { revision, change: { ...change, fields } };
  }

  private async drain(): Promise<void> {
    for (let first = this.pending[0]; first; first = this.pending[0]) {
      try {
        await first.send();
      } catch (error) {
        this.rollBack(error);
        return;
      }
      // Who waits for the commit goes on behind the events, but before those who were told by them.
      first.resolve();
      for (const event of first.events) this.emit(event);
      this.pending.shift();
      if (first.atOnce) this.around.events.deliver();
    }
  }

  private rollBack(error: unknown): void {
    const failed = this.pending.splice(0);
    for (const commit of failed.toReversed()) commit.undo();
    this.around.reverted(this);
    for (const commit of failed) commit.reject(error);
  }

  private emit(outgoing: OutgoingEvent): void {
    if ('event' in outgoing) this.around.events.publish(this.scope, outgoing.event, outgoing.expand);
    else this.around.events.publish(this.scope, outgoing);
  }
}

function deletedMeanwhile(): ServiceError {
  return new ServiceError('session_not_found', 'The session was deleted in the meantime.');
}

function promised(): Pick<PendingCommit, 'stored' | 'resolve' | 'reject'> {
  let settle: Pick<PendingCommit, 'resolve' | 'reject'> = { resolve() {}, reject() {} };
  const stored = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { stored, ...settle };
}
