import { isLoopbackHost } from '../base/loopback.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../wire/errors.ts';

type GuardConfig = Pick<Config, 'auth' | 'server'>;

/**
 * Keeps web pages from using a service that asks for no credential (SECURITY.md): DNS rebinding and cross-site calls
 * answer 403 `forbidden`. Callers without browser headers never notice. Steps back once `server.corsOrigins` was set.
 */
export function guardCrossSite(headers: Headers, { auth, server }: GuardConfig): void {
  if (auth.mode !== 'none' || server.corsOriginsExplicit || server.crossSiteGuard === 'off') return;
  const host = headers.get('host');
  if (host !== null && isLoopbackHost(server.host) && isForeignName(host, server.allowedHosts))
    throw new ServiceError('forbidden', 'This host name is not allowed here: add it to `server.allowedHosts`.');
  const origin = headers.get('origin');
  if (headers.get('sec-fetch-site') === 'cross-site' && origin !== null && !isLoopbackOrigin(origin))
    throw new ServiceError('forbidden', 'Pages of other sites may not call this service: set `server.corsOrigins`.');
}

function isLoopbackOrigin(origin: string): boolean {
  return URL.canParse(origin) && isLoopbackHost(new URL(origin).hostname);
}

/**
 * A name with a dot: what a rebound domain looks like. Addresses and plain names are what people and proxies use, and
 * nobody can register one below `localhost`.
 */
function isForeignName(host: string, allowed: readonly string[]): boolean {
  const authority = host.toLowerCase();
  const name = authority.replace(/:\d*$/, '').replace(/\.$/, '');
  if (!name.includes('.') || name.startsWith('[') || /^\d{1,3}(\.\d{1,3}){3}$/.test(name)) return false;
  if (isLoopbackHost(name)) return false;
  return !allowed.some((entry) => entry.toLowerCase() === name || entry.toLowerCase() === authority);
}
