import { type Grant, isGranted, parseApiPath, parseMethod } from '../../lib/wire/grants.ts';

/** A call that may be made: what goes to `fetch`, beside the credential. */
export interface AllowedRequest {
  ok: true;
  method: string;
  /** Path and query, rebuilt from what was checked. */
  url: string;
  headers: Record<string, string>;
  body?: string;
}

export interface DeniedRequest {
  ok: false;
  message: string;
}

const maxBodyChars = 1_000_000;
const maxHeaders = 64;
const maxHeaderChars = 8_192;
const forbiddenHeaders =
  /^(authorization|cookie|host|origin|referer|forwarded|via|connection|upgrade|te|trailer|transfer-encoding|content-length|accept-encoding|x-method-override|x-real-ip|(proxy-|sec-|x-forwarded-|x-http-method).*)$/;

/**
 * Decides what a bundle's `request` becomes. Nothing in `asked` is trusted, types included; what is allowed is built anew from
 * the parts that were checked. Pure: the same question gets the same answer.
 */
export function checkRequest(
  asked: { path: unknown; method: unknown; headers?: unknown; body?: unknown },
  { plugin, grants }: { plugin: string; grants: readonly Grant[] },
): AllowedRequest | DeniedRequest {
  const { path, body } = asked;
  const deny = (reason: string): DeniedRequest => ({
    ok: false,
    message: `Plugin "${plugin}" may not call ${show(asked.method)} ${show(path)}: ${reason}`,
  });
  const method = typeof asked.method === 'string' ? parseMethod(asked.method) : undefined;
  if (method === undefined) return deny('the method is not one of the API');
  const parsed = typeof path === 'string' ? parseApiPath(path) : undefined;
  if (parsed === undefined) return deny('the path is not a plain path below /api/');
  if (body !== undefined && (method === 'GET' || method === 'HEAD')) return deny('this method has no body');
  if (body !== undefined && (typeof body !== 'string' || body.length > maxBodyChars))
    return deny(`a body is a string of at most ${maxBodyChars} characters`);
  if (!isGranted(grants, method, parsed.segments)) return deny('no matching grant in web.api');
  return {
    ok: true,
    method,
    url: parsed.query === '' ? parsed.path : `${parsed.path}?${parsed.query}`,
    headers: plainHeaders(asked.headers),
    ...(body === undefined ? {} : { body }),
  };
}

/** Drops what would speak for somebody else: credentials, origins, proxies, the connection, other methods. */
function plainHeaders(headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {};
  const plain = Object.entries(headers)
    .slice(0, maxHeaders)
    .flatMap(([name, value]): [string, string][] => {
      const key = name.toLowerCase();
      const fits = typeof value === 'string' && value.length <= maxHeaderChars && /^[\t\x20-\x7e]*$/.test(value);
      return fits && /^[a-z0-9-]+$/.test(key) && !forbiddenHeaders.test(key) ? [[key, value]] : [];
    });
  return Object.fromEntries(plain);
}

function show(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, 200) : typeof value;
}
