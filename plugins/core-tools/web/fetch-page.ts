import type { IncomingMessage } from 'node:http';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { readBody } from './read-body.ts';
import { type ReachPolicy, resolveTarget, type Target } from './target.ts';

/** What came back, decoded and cut at the cap. */
export interface Page {
  /** After redirects. */
  url: string;
  status: number;
  contentType: string;
  body: Buffer;
  /** There was more than `mostBytes`. */
  truncated: boolean;
}

export interface FetchOptions {
  policy: ReachPolicy;
  signal: AbortSignal;
  userAgent: string;
  /** The cap on decoded bytes. */
  mostBytes: number;
}

const mostRedirects = 5;
const redirects = [301, 302, 303, 307, 308];

/**
 * Fetches a URL with GET. Every hop is resolved once, checked, and connected to at exactly the addresses that were
 * checked. Rejects with an error for people: what was refused, or what failed.
 */
export async function fetchPage(text: string, options: FetchOptions): Promise<Page> {
  let target = await resolveTarget(text, undefined, options.policy);
  const asked = target.url;
  for (let hop = 0; ; hop++) {
    options.signal.throwIfAborted();
    const response = await send(target, options);
    const { location } = response.headers;
    const status = response.statusCode ?? 0;
    if (!redirects.includes(status) || location === undefined) {
      const { body, truncated } = await readBody(response, options.mostBytes);
      const contentType = response.headers['content-type'] ?? '';
      return { url: target.url.href, status, contentType, body, truncated };
    }
    response.destroy();
    if (hop === mostRedirects) throw new Error(`There were more than ${mostRedirects} redirects.`);
    const next = URL.canParse(location, target.url.href) ? new URL(location, target.url.href).href : location;
    target = await resolveTarget(next, asked, options.policy);
  }
}

function send({ url, addresses }: Target, { signal, userAgent }: FetchOptions): Promise<IncomingMessage> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = request(url, {
      agent: false,
      signal,
      headers: {
        accept: 'text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.5',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': userAgent,
        connection: 'close',
      },
      // Only the checked addresses, whatever the name means by now.
      lookup: (_host, { all }, callback) => {
        const first = addresses[0];
        if (all) callback(null, addresses);
        else callback(null, first?.address ?? '', first?.family);
      },
    });
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : plain(error, url)));
    outgoing.end();
  });
}

function plain(error: Error, url: URL): Error {
  const code = 'code' in error ? String(error.code) : error.message;
  return new Error(`${url.host} could not be reached (${code || 'no address answered'}).`);
}
