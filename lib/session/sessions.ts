import type { Clock } from '../base/clock.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { SessionState } from '../store/change.ts';
import type { SessionStore } from '../store/session-store.ts';
import type { SessionRecord } from '../wire/session.ts';
import { createChangeTimes } from './change-times.ts';
import { LiveSession } from './live-session.ts';
import type { Session } from './session.ts';
import { createTranscriptCache } from './transcript-cache.ts';

/**
 * Every session of the process by id, and per tenant in the order of its last change. Records are always in memory,
 * transcripts when needed.
 */
export interface Sessions {
  /** The session if it exists and belongs to the tenant; undefined otherwise, for both reasons alike. */
  find(tenantId: string, sessionId: string): Session | undefined;
  /** Whatever its tenant; for the service itself, never for a request. */
  findAny(sessionId: string): Session | undefined;
  /**
   * A tenant's sessions, most recently updated first; of the same time, that with the greater id. O(length) after a change,
   * without sorting; the same array until the next one.
   */
  list(tenantId: string): readonly SessionRecord[];
  /** Sessions kept and lifetime tokens of a tenant. O(1): guards ask for every run. */
  totals(tenantId: string): { sessions: number; tokens: number };
  /** When a change made now counts as made, in milliseconds; see `ChangeTimes`. */
  changeTime(tenantId: string): number;
  tenantIds(): Iterable<string>;
  all(): Iterable<Session>;
  childrenOf(sessionId: string): Session[];
  /** Puts a new session into memory; the caller commits its creation next, or removes it. */
  add(record: SessionRecord): Session;
  /** Fills the directory at boot. */
  restore(records: readonly SessionRecord[]): void;
  remove(session: Session): void;
  /** For the store's snapshots. */
  resident(sessionId: string): SessionState | undefined;
  readonly size: number;
}

export interface SessionsOptions {
  store: SessionStore;
  events: EventBus;
  clock: Clock;
  /** Bytes of transcripts that may stay in memory while nobody uses them. */
  transcriptBytes?: number | undefined;
}

export function createSessions(options: SessionsOptions): Sessions {
  const byId = new Map<string, LiveSession>();
  const byTenant = new Map<string, Map<string, LiveSession>>();
  const children = new Map<string, Set<string>>();
  const tokens = new Map<string, number>();
  const tokensOfTenant = new Map<string, number>();
  /** Kept until a record of it is replaced. */
  const lists = new Map<string, readonly SessionRecord[]>();
  /** Tenants whose sessions are not in the order of their changes any more. */
  const unsorted = new Set<string>();
  const cache = createTranscriptCache(options.clock, options.transcriptBytes ?? 128 * 1024 * 1024);

  const countTokens = ({ id, tenantId }: Session, now: number): void => {
    const change = now - (tokens.get(id) ?? 0);
    if (change === 0) return;
    tokens.set(id, now);
    tokensOfTenant.set(tenantId, (tokensOfTenant.get(tenantId) ?? 0) + change);
  };

  const changeTimes = createChangeTimes(options.clock);

  const around = {
    store: options.store,
    events: options.events,
    clock: options.clock,
    changeTime: changeTimes.next,
    replaced: (session: LiveSession): void => void lists.delete(session.tenantId),
    changed(session: LiveSession): void {
      const ofTenant = byTenant.get(session.tenantId);
      // Deleting and setting moves the session to the end of the map: the order of the last change.
      if (ofTenant?.delete(session.id)) ofTenant.set(session.id, session);
      countTokens(session, session.record.usage.totalTokens);
      cache.touched(session);
    },
    reverted(session: LiveSession): void {
      unsorted.add(session.tenantId);
      countTokens(session, session.record.usage.totalTokens);
      cache.touched(session);
    },
    loaded: (session: LiveSession): void => cache.touched(session),
  };

  /** Where a session that was changed back belongs is only known by comparing: done when somebody asks, not per failure. */
  const sorted = (tenantId: string): Iterable<LiveSession> => {
    const ofTenant = byTenant.get(tenantId);
    if (!ofTenant || !unsorted.delete(tenantId)) return ofTenant?.values() ?? [];
    const oldestFirst = [...ofTenant.values()].sort((a, b) => byUpdate(a.record, b.record));
    ofTenant.clear();
    for (const session of oldestFirst) ofTenant.set(session.id, session);
    return oldestFirst;
  };

  const insert = (session: LiveSession): Session => {
    byId.set(session.id, session);
    lists.delete(session.tenantId);
    countTokens(session, session.record.usage.totalTokens);
    const ofTenant = byTenant.get(session.tenantId) ?? new Map<string, LiveSession>();
    byTenant.set(session.tenantId, ofTenant.set(session.id, session));
    const { parentId } = session.record;
    if (parentId !== undefined) children.set(parentId, (children.get(parentId) ?? new Set()).add(session.id));
    return session;
  };

  return {
    find(tenantId, sessionId) {
      const session = byId.get(sessionId);
      return session?.tenantId === tenantId && !session.removed ? session : undefined;
    },
    findAny(sessionId) {
      const session = byId.get(sessionId);
      return session?.removed ? undefined : session;
    },
    list(tenantId) {
      const known = lists.get(tenantId);
      if (known) return known;
      const records: SessionRecord[] = [];
      for (const session of sorted(tenantId)) if (!session.removed) records.push(session.record);
      records.reverse();
      // More changes within a millisecond than have times of their own.
      if (records.some((record, at) => at > 0 && byUpdate(record, records[at - 1] ?? record) > 0))
        records.sort((a, b) => byUpdate(b, a));
      lists.set(tenantId, records);
      return records;
    },
    totals: (tenantId) => ({
      sessions: byTenant.get(tenantId)?.size ?? 0,
      tokens: tokensOfTenant.get(tenantId) ?? 0,
    }),
    changeTime: changeTimes.next,
    tenantIds: () => byTenant.keys(),
    all: () => byId.values(),
    childrenOf: (sessionId) => [...(children.get(sessionId) ?? [])].flatMap((id) => byId.get(id) ?? []),
    add: (record) => insert(new LiveSession(record, around, [])),
    restore(records) {
      for (const record of records.toSorted(byUpdate)) {
        insert(new LiveSession(record, around));
        changeTimes.seen(record.tenantId, Date.parse(record.updatedAt));
      }
    },
    remove(session) {
      byId.delete(session.id);
      lists.delete(session.tenantId);
      countTokens(session, 0);
      tokens.delete(session.id);
      const ofTenant = byTenant.get(session.tenantId);
      ofTenant?.delete(session.id);
      if (ofTenant?.size === 0) {
        byTenant.delete(session.tenantId);
        tokensOfTenant.delete(session.tenantId);
      }
      children.delete(session.id);
      if (session.record.parentId !== undefined) children.get(session.record.parentId)?.delete(session.id);
      cache.forget(session.id);
    },
    resident: (sessionId) => byId.get(sessionId)?.resident,
    get size() {
      return byId.size;
    },
  };
}

/** A total order: of the same sessions there is one list only, whatever they went through. */
function byUpdate(a: SessionRecord, b: SessionRecord): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}
