import { isUtf8 } from 'node:buffer';
import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * What a caller presents: the bearer token or, on GET and HEAD and without that header, `?token=` (contract: Authentication,
 * rule 1).
 */
export function presentedToken(request: Request): string | undefined {
  const header = request.headers.get('authorization');
  if (header !== null) return /^bearer /i.test(header) ? asText(header.slice(7).trim()) || undefined : undefined;
  if (!['GET', 'HEAD'].includes(request.method) || !request.url.includes('token=')) return undefined;
  return new URL(request.url).searchParams.get('token') || undefined;
}

/** Header values arrive as one character per byte; clients send what is not ASCII as UTF-8. */
function asText(value: string): string {
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}

/** The 32 bytes of the digest of a text in UTF-8. */
export function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** Takes the same time whatever the difference, because digests of one length are compared. */
export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
