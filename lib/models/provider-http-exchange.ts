import {
  type Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
} from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../base/clock.ts';
import { ProviderError } from './model.ts';
import { startDeadlines } from './provider-http-deadlines.ts';
import { networkFailure } from './provider-http-failure.ts';

export interface ExchangeCall {
  provider: string;
  /** Protocol, host, port and path. */
  target: RequestOptions;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** UTF-8 JSON. */
  body?: Uint8Array;
  agent: Agent;
  signal: AbortSignal;
  clock: Clock;
  timeoutMs: number;
  idleTimeoutMs: number;
  connectTimeoutMs: number;
}

/** What the reader of a response (who also hears its errors) reports back. The first settlement counts; later ones do nothing. */
export interface Exchange<T> {
  readonly settled: boolean;
  /** Bytes arrived. */
  touch(): void;
  /** The result; what is left of the body is drained for a moment, so that the connection can be used again. */
  resolve(value: T): void;
  /** Ends the call and its connection. */
  reject(error: unknown): void;
}

const drainMs = 1_000;

/**
 * One request and its response under one set of deadlines. Rejects with the signal's reason when that aborts, and with a
 * retryable ProviderError when the network or a deadline ends it. Nothing is sent twice here, not even when a kept connection
 * breaks before the answer: the server may have read the request, and every retry is counted and announced (contract: Retries).
 */
export function exchange<T>(
  call: ExchangeCall,
  read: (response: IncomingMessage, result: Exchange<T>) => void,
): Promise<T> {
  const { provider, target, method, signal, clock } = call;
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    let request: ClientRequest | undefined;
    let response: IncomingMessage | undefined;

    // A plain field: a getter would give every call an object of its own shape, and reading it costs ten times as much.
    const result = {
      settled: false,
      touch: () => deadlines.touch(),
      resolve(value: T) {
        if (!settle()) return;
        resolve(value);
        if (response !== undefined) drain(response, clock);
      },
      reject(error: unknown) {
        if (!settle()) return;
        reject(error);
        request?.destroy();
      },
    };
    const settle = (): boolean => {
      if (result.settled) return false;
      result.settled = true;
      deadlines.stop();
      signal.removeEventListener('abort', abort);
      return true;
    };
    const abort = (): void => result.reject(signal.reason);
    const deadlines = startDeadlines(clock, call, (what) =>
      result.reject(new ProviderError(`${provider}: ${what}.`, { retryable: true })),
    );

    const send = (): ClientRequest => {
      const options: RequestOptions = { ...target, method, headers: call.headers, agent: call.agent };
      const sent = target.protocol === 'https:' ? httpsRequest(options) : httpRequest(options);
      sent.on('socket', deadlines.connecting);
      sent.on('error', (error) => result.reject(networkFailure(provider, error)));
      sent.on('response', (incoming) => {
        response = incoming;
        if (!result.settled) read(incoming, result);
      });
      sent.end(call.body);
      return sent;
    };

    signal.addEventListener('abort', abort);
    try {
      request = send();
    } catch (error) {
      // A header or path that HTTP does not allow, a key with a line break for one.
      result.reject(networkFailure(provider, error instanceof Error ? error : new Error(String(error))));
    }
  });
}

/** The reader goes on reading, unheard; a body that does not end soon costs its connection. */
function drain(response: IncomingMessage, clock: Clock): void {
  if (response.readableEnded || response.destroyed) return;
  response.once(
    'close',
    clock.after(drainMs, () => response.destroy()),
  );
}
