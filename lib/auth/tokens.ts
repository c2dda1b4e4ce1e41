import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { sha256 } from './credential.ts';

const prefix = 'svc_';
const checksumChars = 6;
const scryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 } satisfies ScryptOptions;

/** `svc_`, 32 random bytes and a checksum, all in URL-safe characters: recognisable to people and to secret scanners. */
export function createToken(): string {
  const body = randomBytes(32).toString('base64url');
  return `${prefix}${body}${checksum(body)}`;
}

/** True for what {@link createToken} may have made. Says nothing about validity. */
export function isGeneratedToken(value: string): boolean {
  const body = value.slice(prefix.length, -checksumChars);
  return value.startsWith(prefix) && body.length === 43 && value.endsWith(checksum(body));
}

/**
 * What is kept of a token: hex SHA-256 of a generated one, which cannot be guessed, and `scrypt$salt$key` of any other, which
 * takes about 60 ms in the thread pool and 32 MB.
 */
export async function hashToken(token: string): Promise<string> {
  return isGeneratedToken(token) ? sha256(token).toString('hex') : hashChosenToken(token);
}

/** Whether a chosen token is the one that was hashed; false for the digest of a generated one. Costs as much as hashing it. */
export async function matchesChosenToken(token: string, hash: string): Promise<boolean> {
  const [scheme, salt, key] = hash.split('$');
  if (scheme !== 'scrypt' || salt === undefined || key === undefined) return false;
  const expected = Buffer.from(key, 'base64url');
  const derived = await derive(token, Buffer.from(salt, 'base64url'));
  return expected.length === derived.length && timingSafeEqual(expected, derived);
}

async function hashChosenToken(token: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(token, salt);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

function derive(token: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(token, salt, 32, scryptOptions, (error, key) => (error === null ? resolve(key) : reject(error)));
  });
}

function checksum(body: string): string {
  return sha256(`${prefix}${body}`).toString('base64url').slice(0, checksumChars).replace(/[-_]/g, '0');
}
