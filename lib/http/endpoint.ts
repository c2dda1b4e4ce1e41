import type { AdapterRequestContext, HattipHandler } from '@hattip/core';
import type { App } from '../app.ts';
import type { Principal } from '../auth/principal.ts';
import type { Session } from '../session/session.ts';

/** What the host (or a test) hands to a handler beside the request. */
export interface Platform {
  app: App;
  /** Aborts when the client is gone. Never `request.signal`, which aborts as soon as a body was read. */
  signal: AbortSignal;
  /** Path parameters when a router has matched already; otherwise the handler matches its own path. */
  params?: Record<string, string>;
}

/** `public` needs no credential, `user` any, `admin` an administrator's. */
export type Access = 'public' | 'user' | 'admin';

/** How a handler is mounted; the route table and the tests read it from the handler itself. */
export interface RouteSpec {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Contract notation: `/api/sessions/:id`; a trailing `*` takes the rest. */
  path: string;
  access: Access;
}

/** A standalone fetch-API handler: request in, response out, everything else through `context.platform`. Never rejects. */
export type Handler = HattipHandler<Platform> & { readonly route: RouteSpec };

export type HandlerContext = AdapterRequestContext<Platform>;

/** What an endpoint's `handle` receives. */
export interface Call<Body, HasSession extends boolean> {
  app: App;
  request: Request;
  url: URL;
  params: Record<string, string>;
  principal: Principal;
  /** The session named by `:id`, in the caller's tenant. */
  session: HasSession extends true ? Session : undefined;
  body: Body;
  signal: AbortSignal;
}
