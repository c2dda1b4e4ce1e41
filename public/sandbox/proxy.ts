import { parseGrants } from '../../lib/wire/grants.ts';
import { checkRequest } from './check-request.ts';
import { createRateGuard } from './guards.ts';
import type { FrameRequest, ToFrame } from './protocol.ts';

export type Answer = Extract<ToFrame, { t: 'res' }>;

export interface ProxyOptions {
  plugin: string;
  /** `web.api` of the manifest. */
  api: readonly string[] | undefined;
  /** Where the API is. */
  base: string;
  token(): string | undefined;
  fetch: typeof fetch;
  now(): number;
  /** Told about every call that was refused. */
  refused(message: string): void;
}

const maxAtOnce = 6;
const maxInWindow = 30;
const windowMs = 10_000;
const timeoutMs = 30_000;
const maxAnswerBytes = 5_000_000;

/** Makes the calls of one plugin, all of its frames together, within its grants. Never rejects. */
export function createProxy(options: ProxyOptions): (request: FrameRequest) => Promise<Answer> {
  const { grants } = parseGrants(options.api);
  const inRate = createRateGuard(maxInWindow, windowMs, options.now);
  let active = 0;
  return async (request) => {
    const fail = (status: number, code: string, message: string): Answer => ({
      t: 'res',
      id: request.id,
      ok: false,
      status,
      code,
      message,
    });
    const checked = checkRequest(request, { plugin: options.plugin, grants });
    if (!checked.ok) {
      options.refused(checked.message);
      return fail(403, 'not_granted', checked.message);
    }
    if (active >= maxAtOnce || !inRate())
      return fail(429, 'too_many_calls', `Plugin "${options.plugin}" makes too many calls.`);
    active++;
    try {
      const { method, headers, body } = checked;
      const token = options.token();
      const init = {
        method,
        headers: { ...headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
        ...(body === undefined ? {} : { body }),
        redirect: 'error',
        credentials: 'omit',
        cache: 'no-store',
        signal: AbortSignal.timeout(timeoutMs),
      } as const;
      const response = await options.fetch(new URL(checked.url.slice(1), options.base), init);
      const value = await readJson(response);
      if (response.ok) return { t: 'res', id: request.id, ok: true, body: value };
      const { code = 'error', message = `The service answered ${response.status}.` } = errorIn(value);
      return fail(response.status, code, message);
    } catch (error) {
      return fail(0, 'failed', error instanceof Error ? error.message : 'The call failed.');
    } finally {
      active--;
    }
  };
}

/** The JSON of an answer. Anything else is given up at once: an event stream would never end. Throws when it is too large. */
async function readJson(response: Response): Promise<unknown> {
  if (response.body === null || response.status === 204) return undefined;
  const reader = response.body.getReader();
  if (!/^application\/json\b/.test(response.headers.get('content-type') ?? '')) {
    await reader.cancel();
    throw new Error('A bundle may read JSON only.');
  }
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0, part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.length;
    if (bytes > maxAnswerBytes) {
      await reader.cancel();
      throw new Error('The answer is too large for a bundle.');
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text === '' ? undefined : JSON.parse(text);
}

function errorIn(value: unknown): { code?: string; message?: string } {
  if (typeof value !== 'object' || value === null || !('error' in value)) return {};
  const { error } = value;
  if (typeof error !== 'object' || error === null) return {};
  return {
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...('message' in error && typeof error.message === 'string' ? { message: error.message } : {}),
  };
}
