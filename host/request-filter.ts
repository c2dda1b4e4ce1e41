import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../lib/wire/errors.ts';

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_]([a-z0-9_.-]*[a-z0-9_.])?)(:\d{1,5})?$/i;

/** A `..` segment, plain or percent-encoded, with plain or encoded separators. URL parsing would hide it from the handlers. */
const dotDotPattern = /(^|[/\\]|%2f|%5c)(\.|%2e)(\.|%2e)($|[/\\]|%2f|%5c)/i;

/**
 * What the fetch adapter must never see: it builds the URL from parts of the request, and parsing a URL folds `..` away.
 * Throws the answer; otherwise the request is HTTP that a handler can be given.
 */
export function filterRequest(request: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders' | 'httpVersion'>): void {
  const { method = '', url = '' } = request;
  if (method === 'TRACE' || method === 'CONNECT')
    throw new ServiceError('method_not_allowed', `${method} is not answered here.`, {
      headers: { allow: 'GET, HEAD, POST, PATCH, DELETE, OPTIONS' },
    });
  if (!url.startsWith('/')) throw new ServiceError('bad_path', 'The request target must be a path.');
  checkHost(request);
  const end = url.search(/[?#]/);
  if (dotDotPattern.test(end < 0 ? url : url.slice(0, end)))
    throw new ServiceError('forbidden', 'Paths must not leave the root.');
}

function checkHost({ rawHeaders, httpVersion }: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion'>): void {
  const hosts: string[] = [];
  for (let i = 0; i < rawHeaders.length; i += 2) {
    if (rawHeaders[i]?.toLowerCase() === 'host') hosts.push(rawHeaders[i + 1] ?? '');
  }
  if (hosts.length === 0 && httpVersion === '1.0') return;
  if (hosts.length !== 1 || !hostPattern.test(hosts[0] ?? ''))
    throw new ServiceError('bad_path', 'The request needs exactly one well-formed Host header.');
}
