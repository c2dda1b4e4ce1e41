import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Puts the variables of the environment in for `${NAME}`. Throws when one is not set: a hook must not be protected by an
 * empty or half secret.
 */
export function expandVariables(text: string, env: Readonly<Record<string, string | undefined>>): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined || value === '') throw new Error(`the variable ${name} is not set`);
    return value;
  });
}

/** Whether a header carries the secret. The time it takes tells nothing about the secret. */
export function isSecret(header: string | null, secret: string): boolean {
  // Header values arrive as one character per byte.
  return timingSafeEqual(digest(Buffer.from(header ?? '', 'latin1')), digest(Buffer.from(secret, 'utf8')));
}

/** Whether a header carries the HMAC of the body in hexadecimal, with or without `sha256=` in front. */
export function isSignature(header: string | null, body: Uint8Array, secret: string): boolean {
  const given = signatureIn(header);
  if (given === undefined) return false;
  return timingSafeEqual(given, createHmac('sha256', secret).update(body).digest());
}

/** The bytes of a well-formed signature. */
export function signatureIn(header: string | null): Buffer | undefined {
  const [, hex] = /^(?:sha256=)?([0-9a-f]{64})$/i.exec(header?.trim() ?? '') ?? [];
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}

function digest(value: Buffer): Buffer {
  return createHash('sha256').update(value).digest();
}
