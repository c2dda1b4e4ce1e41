import { Agent, type IncomingMessage } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import { type Clock, systemClock } from '../base/clock.ts';
import { createSecretRegistry, type SecretRegistry } from '../base/secrets.ts';
import { isProviderError, ProviderError } from './model.ts';
import { type BodyLimits, collectText, createBodyDecoder, decodeBody, type EventReader } from './provider-http-body.ts';
import { type Exchange, type ExchangeCall, exchange } from './provider-http-exchange.ts';
import { statusFailure } from './provider-http-failure.ts';
import { type JsonRecord, parseJson } from './provider-json.ts';

export type { EventReader } from './provider-http-body.ts';

export interface ProviderHttpOptions {
  /** How error messages call the provider. */
  provider: string;
  /** Paths are appended to it; a query string is kept. Throws when it is no http(s) URL. */
  baseUrl: string;
  headers: Record<string, string>;
  /** The whole call, from the request to the last byte. */
  timeoutMs: number;
  /** Between two reads of the answer. Default 120 s. */
  idleTimeoutMs?: number;
  /** Default 15 s. */
  connectTimeoutMs?: number;
  /** Texts that must never appear in an error message (keys). */
  secrets?: readonly string[];
  limits?: Partial<BodyLimits>;
  clock?: Clock;
}

/** HTTP as model providers need it: JSON in, server-sent events out, over kept connections. */
export interface ProviderHttp {
  /**
   * POSTs `body` (bytes are UTF-8 JSON already) and resolves when the answer is complete. The reader is called synchronously,
   * for everything of one network read in the same tick. Rejects with a ProviderError, with what the reader threw, or
   * with the signal's reason.
   */
  postForEvents(path: string, body: JsonRecord | Uint8Array, io: EventReader & { signal: AbortSignal }): Promise<void>;
  /** GETs one JSON document. Rejects as above. */
  getJson(path: string, io: { signal: AbortSignal; timeoutMs: number }): Promise<unknown>;
  /** Closes the kept connections. */
  close(): void;
}

const defaultLimits: BodyLimits = { responseBytes: 256 * 1024 * 1024, lineChars: 32 * 1024 * 1024 };
const errorBodyBytes = 64 * 1024;
const errorBodyMs = 5_000;

/**
 * How long an idle connection is kept, or less when the server says so: shorter than servers and proxies commonly do, so that
 * a request rarely meets one that is being closed. Connections in use do not notice.
 */
const keptMs = 50_000;

export function createProviderHttp(options: ProviderHttpOptions): ProviderHttp {
  const { provider, headers, secrets = [], clock = systemClock } = options;
  const known = createSecretRegistry();
  for (const secret of secrets) known.add(secret);
  const base = parseBase(options.baseUrl);
  const { protocol, hostname, port, auth } = urlToHttpOptions(base);
  const root = base.pathname.replace(/\/+$/, '');
  const limits = { ...defaultLimits, ...options.limits };
  const agentOptions = { keepAlive: true, maxFreeSockets: 64, timeout: keptMs };
  const agent = base.protocol === 'https:' ? new SecureAgent(agentOptions) : new Agent(agentOptions);

  const call = (method: 'GET' | 'POST', path: string, signal: AbortSignal): ExchangeCall => ({
    provider,
    target: { protocol, hostname, port, auth, path: `${root}${path}${base.search}` },
    method,
    headers: {
      accept: method === 'GET' ? 'application/json' : 'text/event-stream, application/json',
      'user-agent': 'agent-session-service',
      ...headers,
    },
    agent,
    signal,
    clock,
    timeoutMs: options.timeoutMs,
    idleTimeoutMs: options.idleTimeoutMs ?? 120_000,
    connectTimeoutMs: options.connectTimeoutMs ?? 15_000,
  });

  const run = async <T>(request: ExchangeCall, read: (response: IncomingMessage, result: Exchange<T>) => void) => {
    try {
      return await exchange<T>(request, (response, result) => {
        result.touch();
        const { statusCode: status = 0, headers } = response;
        if (status >= 200 && status < 300) return read(response, result);
        const fail = (body: string): void =>
          result.reject(statusFailure(provider, { status, headers, body }, clock.now()));
        collectText(response, fail, { clock, mostBytes: errorBodyBytes, withinMs: errorBodyMs });
      });
    } catch (error) {
      throw redacted(error, known);
    }
  };

  return {
    postForEvents(path, body, { signal, ...reader }) {
      const bytes = body instanceof Uint8Array ? body : Buffer.from(JSON.stringify(body));
      const request = call('POST', path, signal);
      request.headers['content-type'] = 'application/json';
      request.headers['content-length'] = String(bytes.byteLength);
      request.body = bytes;
      return run<void>(request, (response, result) => {
        const whileWanted: EventReader = {
          onEvent: (data, name) => result.settled || reader.onEvent(data, name),
          onDocument: reader.onDocument,
        };
        decodeBody(response, createBodyDecoder(provider, whileWanted, limits), { result, provider, clock });
      });
    },
    getJson(path, { signal, timeoutMs }) {
      return run<unknown>({ ...call('GET', path, signal), timeoutMs }, (response, result) => {
        const finish = (text: string): void => {
          const value = parseJson(text);
          if (value === undefined) result.reject(new ProviderError(`${provider} did not answer with JSON.`));
          else result.resolve(value);
        };
        collectText(response, finish, { clock, mostBytes: limits.lineChars, withinMs: timeoutMs });
      });
    },
    close: () => agent.destroy(),
  };
}

function parseBase(baseUrl: string): URL {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new Error('baseUrl must be an absolute http:// or https:// URL.');
  return url;
}

function redacted(error: unknown, known: SecretRegistry): unknown {
  if (isProviderError(error)) error.message = known.hide(error.message);
  return error;
}
