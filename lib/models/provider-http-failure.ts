import type { IncomingHttpHeaders } from 'node:http';
import { ProviderError } from './model.ts';
import { isRecord, listOf, parseJson, recordOf, textOf } from './provider-json.ts';

const longestDetail = 500;

/** Contract: 408, 409, 425, 429 and any 5xx are worth another attempt; other statuses are final. */
export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 409 || status === 425 || status === 429 || status >= 500;
}

/** The failure that an HTTP status other than 2xx stands for. `body` is the (bounded) text of the answer. */
export function statusFailure(
  provider: string,
  answer: { status: number; headers: IncomingHttpHeaders; body: string },
  now: number,
): ProviderError {
  const { status, headers, body } = answer;
  const hint = retryAfter(headers, now);
  return new ProviderError(`${provider} answered HTTP ${status}: ${condense(body) || adviceFor(status)}`, {
    retryable: isRetryableStatus(status),
    status,
    ...(hint === undefined ? {} : { retryAfterMs: hint }),
  });
}

/** The failure behind a broken connection. Everything but a refused certificate or an impossible address may pass. */
export function networkFailure(provider: string, cause: Error): ProviderError {
  const code = textOf(recordOf(cause).code) || textOf(recordOf(listOf(recordOf(cause).errors)[0]).code);
  const final = /CERT|^ERR_TLS|^ERR_INVALID|^ERR_UNESCAPED/.test(code) || code === 'UNABLE_TO_VERIFY_LEAF_SIGNATURE';
  const what = meanings[code] ?? `the connection failed (${code || cause.message})`;
  return new ProviderError(`${provider}: ${what}.`, { retryable: !final, cause });
}

/** What the body of a failed answer says, on one line: a JSON message if there is one, otherwise the text of the page. */
export function condense(body: string): string {
  const json = parseJson(body.trim());
  const message = json === undefined ? pageText(body) : errorText(json) || (isRecord(json) ? '' : textOf(json));
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > longestDetail ? `${line.slice(0, longestDetail)}...` : line;
}

/** The message inside an error object, in the forms that servers use: `{error: {message}}`, `{error}`, `{message}`, `{detail}`. */
export function errorText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value;
  if (depth > 4) return '';
  const text = (part: unknown): string => errorText(part, depth + 1);
  if (Array.isArray(value)) return value.slice(0, 10).map(text).filter(Boolean).join('; ');
  if (!isRecord(value)) return '';
  const { error, message, detail, msg, errors } = value;
  return text(error) || text(message) || text(detail) || text(msg) || text(errors);
}

/**
 * The provider's hint in milliseconds: `retry-after-ms`, or `Retry-After` as seconds or as an HTTP date. A date that has
 * passed, a negative number and anything else are no hint.
 */
function retryAfter(headers: IncomingHttpHeaders, now: number): number | undefined {
  const milliseconds = textOf(headers['retry-after-ms']).trim();
  if (isNumeral(milliseconds)) return Math.round(Number(milliseconds));
  const value = textOf(headers['retry-after']).trim();
  if (isNumeral(value)) return Math.round(Number(value) * 1000);
  if (!/^[A-Za-z]{3,9},? /.test(value)) return undefined;
  const wait = Date.parse(value) - now;
  return wait > 0 ? wait : undefined;
}

function isNumeral(text: string): boolean {
  return /^\d{1,15}(\.\d{1,9})?$/.test(text);
}

/** Only the head of a page is read, so that these expressions stay cheap whatever it holds. */
function pageText(body: string): string {
  const head = body.slice(0, 4_096);
  if (!/<[a-z!]/i.test(head)) return head;
  const title = /<title[^>]*>([^<]*)/i.exec(head)?.[1]?.trim();
  return title || head.replace(/<(script|style)[\s\S]*?<\/\1>/gi, ' ').replace(/<[^>]*>/g, ' ');
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'the key was not accepted; check apiKey or apiKeyEnv';
  if (status >= 300 && status < 400) return 'a redirect, which is not followed; set baseUrl to the final address';
  if (status === 404) return 'nothing is there; check baseUrl and the model';
  return 'no reason given';
}

const meanings: Record<string, string> = {
  ECONNREFUSED: 'nothing accepts connections at this address (connection refused)',
  ECONNRESET: 'the connection was closed before the answer was complete',
  EPIPE: 'the connection was closed before the request was sent',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name could not be looked up',
  ETIMEDOUT: 'the connection timed out',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the network cannot be reached',
};
