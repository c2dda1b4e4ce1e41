import { Channel, type Route } from './channel.ts';
import type { EventScope } from './event-bus.ts';

interface Tenant {
  readonly all: Channel;
  readonly sessions: Map<string, Channel>;
  /** `lostThrough` of the session channels that are not kept: empty, and nobody listens. One number a session. */
  readonly lost: Map<string, number>;
}

/** Finds the channels of an event or a subscriber in O(1); makes them on demand and lets go of those that hold nothing. */
export class Channels {
  readonly notices = new Channel(0);
  readonly #tenants = new Map<string, Tenant>();

  /** The channels of a scope: the session's first, if it has one, then the tenant's. */
  of(scope: EventScope): Route {
    if (!('tenantId' in scope)) return this.notices.route;
    const { tenantId, sessionId } = scope;
    const tenant = this.#tenant(tenantId);
    if (sessionId === undefined) return tenant.all.route;
    let channel = tenant.sessions.get(sessionId);
    if (!channel) {
      channel = new Channel(tenant.lost.get(sessionId) ?? 0, { tenantId, sessionId, tenant: tenant.all });
      tenant.lost.delete(sessionId);
      tenant.sessions.set(sessionId, channel);
    }
    return channel.route;
  }

  /** The channel of a session, or of all of a tenant, if it is kept. */
  find({ tenantId, sessionId }: { tenantId: string; sessionId?: string }): Channel | undefined {
    const tenant = this.#tenants.get(tenantId);
    return sessionId === undefined ? tenant?.all : tenant?.sessions.get(sessionId);
  }

  /** Forgets a session; those who still stand on its channel, if there is one, keep it. */
  remove({ tenantId, sessionId }: { tenantId: string; sessionId: string }): Channel | undefined {
    const tenant = this.#tenants.get(tenantId);
    const channel = tenant?.sessions.get(sessionId);
    tenant?.sessions.delete(sessionId);
    tenant?.lost.delete(sessionId);
    return channel;
  }

  /** Lets go of a session channel once it is empty and nobody listens. */
  release(channel: Channel): void {
    const { tenantId, sessionId, entries, subscribers, lostThrough } = channel;
    if (tenantId === undefined || sessionId === undefined) return;
    if (subscribers.size > 0 || entries.end > entries.start) return;
    const tenant = this.#tenants.get(tenantId);
    if (tenant?.sessions.get(sessionId) !== channel) return;
    tenant.sessions.delete(sessionId);
    if (lostThrough > 0) tenant.lost.set(sessionId, lostThrough);
  }

  *all(): Iterable<Channel> {
    yield this.notices;
    for (const { all, sessions } of this.#tenants.values()) {
      yield all;
      yield* sessions.values();
    }
  }

  #tenant(tenantId: string): Tenant {
    let tenant = this.#tenants.get(tenantId);
    if (!tenant) {
      tenant = { all: new Channel(0, { tenantId }), sessions: new Map(), lost: new Map() };
      this.#tenants.set(tenantId, tenant);
    }
    return tenant;
  }
}
