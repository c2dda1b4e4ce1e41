import type { App } from '../app.ts';
import type { Handler } from './endpoint.ts';
import { createRouter } from './router.ts';

export interface FetchOptions {
  /** The address of the client, which failed logins are counted by. Default: none is known, and all count together. */
  ip?: string;
  /**
   * Aborts when the client is gone. Default: the request's own signal, but of a request without a body only: some servers
   * abort it once the body was read.
   */
  signal?: AbortSignal;
}

/** Never rejects; a stream ends when its body is cancelled or the signal aborts. */
export type Fetch = (request: Request, options?: FetchOptions) => Promise<Response>;

/**
 * The routes of `handlers`, one or all, as a function from a request to its answer: for servers that take such a function, and
 * for tests. Paths outside of them are 404, but routes of the app's plugins are always there.
 */
export function createFetch(handlers: readonly Handler[], app: App): Fetch {
  const route = createRouter(handlers, app);
  return async (request, { ip = '', signal = signalOf(request) } = {}) =>
    route({ request, ip, platform: { signal }, env: () => undefined, passThrough() {}, waitUntil() {} });
}

/** Node 20 leaves the signal of a request without effect once the request itself is collected: so it holds the request. */
function signalOf(request: Request): AbortSignal {
  if (request.body) return new AbortController().signal;
  const { signal } = request;
  signal.addEventListener('abort', () => void request, { once: true });
  return signal;
}
