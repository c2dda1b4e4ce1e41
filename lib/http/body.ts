import { isServiceError, ServiceError } from '../wire/errors.ts';
import { limits } from '../wire/limits.ts';
import { withinBounds } from './json-bounds.ts';

const bounds = { depth: limits.jsonDepth, tokens: limits.jsonTokens, keys: limits.jsonKeys };

/** Where a body comes from when not from the request object, and the signal that ends the wait for it. */
export interface BodySource {
  signal?: AbortSignal;
  /** See `Platform.readBody`. */
  readBody?: ((limit: number) => Promise<Uint8Array | undefined>) | undefined;
}

/**
 * The bytes of a request body, at most `limit` of them. Throws `payload_too_large` before reading when the declared length
 * says so, and while reading when the counted one does; `invalid_body` for a compressed body or one that breaks off,
 * `request_timeout` when the connection waited long enough for the rest. A body that somebody in front of the handler has read
 * is no fault of the client's: a plain Error.
 */
export async function readBody(
  request: Request,
  limit: number,
  { signal, readBody: fromConnection }: BodySource = {},
): Promise<Uint8Array> {
  checkDeclared(request.headers, limit);
  if (!fromConnection && (request.bodyUsed || request.body?.locked))
    throw new Error('The body of the request was read before the handler was called: give the handler a clone.');
  const read = fromConnection ?? ((most: number) => readStream(request.body, most, signal));
  const bytes = await read(limit).catch((error: unknown) => {
    if (isServiceError(error)) throw error;
    throw new ServiceError('invalid_body', 'The request body broke off.');
  });
  if (!bytes) throw new ServiceError('payload_too_large', tooLargeText(limit));
  return bytes;
}

/** Refuses by the headers alone what need not be read. */
export function checkDeclared(headers: Headers, limit: number): void {
  if (Number(headers.get('content-length') ?? 0) > limit)
    throw new ServiceError('payload_too_large', tooLargeText(limit));
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity')
    throw new ServiceError(
      'invalid_body',
      'Compressed request bodies are not accepted: send it without content-encoding.',
    );
}

/** JSON of a body, whatever its content type; undefined for an empty one. Throws `invalid_json` or, beyond the bounds, `invalid_body`. */
export function parseJson(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return undefined;
  if (!withinBounds(bytes, bounds))
    throw new ServiceError('invalid_body', 'The body is nested too deeply or has too many parts.');
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (text.trim() === '') return undefined;
    value = JSON.parse(text);
  } catch {
    throw new ServiceError('invalid_json', 'The body is not valid JSON in UTF-8.');
  }
  if (/__proto__|constructor|\\u/.test(text)) dropHostileKeys(value);
  return value;
}

/** As {@link parseJson} for routes whose body must be an object; an absent one counts as `{}`, a `null` does not. */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> {
  const value = parseJson(bytes);
  if (value === undefined) return {};
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ServiceError('invalid_body', 'The body must be a JSON object.');
}

/** The counted read of a web stream. Beyond the limit it is left alone: cancelling would keep the answer from being sent. */
async function readStream(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array | undefined> {
  if (!body) return new Uint8Array();
  const reader = body.getReader();
  // Nobody promises that a stream ends when the one who sends it is gone. It is not cancelled: Node 20 can't bear that of
  // some bodies, and throws where nobody catches.
  const giveUp = () => reader.releaseLock();
  signal?.addEventListener('abort', giveUp, { once: true });
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (done) return Buffer.concat(chunks, length);
      chunks.push(value);
      length += value.byteLength;
      if (length <= limit) continue;
      reader.releaseLock();
      return undefined;
    }
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
}

function tooLargeText(limit: number): string {
  return `The body must not be larger than ${limit} bytes.`;
}

/** Removes keys that could reach a prototype when somebody copies the object. Depth is bounded before. */
function dropHostileKeys(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    for (const key of ['__proto__', 'constructor']) {
      if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
    }
  }
  for (const part of Object.values(value)) dropHostileKeys(part);
}
