import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createMiddleware } from '@hattip/adapter-node/native-fetch';
import type { HattipHandler } from '@hattip/core';
import type { App } from '../lib/app.ts';
import { errorAnswer } from '../lib/http/answer.ts';
import { nameRequest, requestIdHeader, requestIdOf } from '../lib/http/request-id.ts';
import type { Connection } from '../lib/http/router.ts';
import { pumpBehind } from '../lib/http/sse.ts';
import type { StreamPump } from '../lib/http/stream-pump.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { readIncoming } from './read-incoming.ts';
import { filterRequest } from './request-filter.ts';
import { sendBeforeEnd, sendDirectly } from './send-response.ts';

export interface ServeOptions {
  host: string;
  /** 0 takes a free port. */
  port: number;
  /** Further connections are closed at once. Default: no limit. */
  maxConnections?: number | undefined;
}

export interface Listening {
  readonly host: string;
  readonly port: number;
  /** Stops accepting, ends event streams, lets answers in progress finish for `graceMs`, then cuts. Idempotent. */
  close(graceMs?: number): Promise<void>;
}

/** Handlers see this in URLs whatever the client sent as Host. */
const origin = 'http://service.internal';

/** How long a client may take for the body that a handler wants. A slow sender holds no handler. */
const bodyTimeoutMs = 60_000;

/** For its request line and headers, and for all of a request; the latter only ends what no handler waits for any more. */
const timeouts = { headersTimeout: 10_000, requestTimeout: 2 * bodyTimeoutMs, connectionsCheckingInterval: 5_000 };

/** Above the idle timeout of common proxies, so that they close first. */
const keepAliveTimeout = 65_000;

/**
 * Puts the handler on a socket. Resolves once it listens; rejects with an error that says what to do when it can't.
 * The adapter is fenced in: a filter in front, the error envelope behind, its own stream writing bypassed where it is slow.
 */
export async function serve(
  handler: HattipHandler<Connection>,
  app: Pick<App, 'log' | 'clock' | 'hideSecrets'>,
  { host, port, maxConnections }: ServeOptions,
): Promise<Listening> {
  const streams = new Set<StreamPump>();
  const unfinished = new WeakMap<Socket, Set<ServerResponse>>();
  const middleware = adapt(handler, app, streams);
  const server = createServer(
    { ...timeouts, keepAliveTimeout, maxHeaderSize: 16 * 1024, requireHostHeader: false },
    (request, outgoing) => {
      const fail = (error: unknown) => refuse(error, app, { request, outgoing });
      noteAnswer(unfinished, request.socket, outgoing);
      try {
        filterRequest(request);
        // The adapter then makes no web stream of the body; handlers read it with `readBody`.
        middleware(Object.assign(request, { rawBody: null }), outgoing, (error) => error === undefined || fail(error));
      } catch (error) {
        fail(error);
      }
    },
  );
  if (maxConnections !== undefined) server.maxConnections = maxConnections;
  // Node itself would answer 417, in no envelope; who expects something unknown can live with being answered.
  server.on('checkExpectation', (request, outgoing) => server.emit('request', request, outgoing));
  server.on('clientError', (error, socket: Socket) => {
    if (isAnswering(unfinished.get(socket))) socket.destroy();
    else answerBrokenRequest(error, socket);
  });
  const address = await listen(server, host, port);
  server.on('error', (error) => app.log.error('A connection could not be accepted.', { error }));
  let closed: Promise<void> | undefined;
  return {
    host,
    port: address.port,
    close(graceMs = 5_000) {
      closed ??= closeServer(server, streams, app.clock, graceMs);
      return closed;
    },
  };
}

/** The handler behind the adapter, which sends only what can't be sent directly. `streams` holds those that are open. */
function adapt(
  handler: HattipHandler<Connection>,
  { clock }: Pick<App, 'clock'>,
  streams: Set<StreamPump>,
): ReturnType<typeof createMiddleware> {
  return createMiddleware(
    async (context) => {
      const { request, response: outgoing } = context.platform;
      // The adapter's own: it would abort `request.signal` at the end of every body.
      request.removeAllListeners('close');
      const readBody = (limit: number) => readIncoming(request, limit, { clock, timeoutMs: bodyTimeoutMs });
      const response = await handler({ ...context, platform: { signal: goneSignal(outgoing), readBody } });
      const track = (pump: StreamPump) => {
        streams.add(pump);
        outgoing.once('close', () => streams.delete(pump));
      };
      if (!request.complete && pumpBehind(response) === undefined) {
        context.passThrough();
        await sendBeforeEnd(response, { request, outgoing, clock });
      } else if (sendDirectly(response, outgoing, track)) context.passThrough();
      return response;
    },
    { origin, trustProxy: false, alwaysCallNext: false },
  );
}

function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, host, port)));
    server.listen(port, host, () => {
      const address = server.address();
      if (address !== null && typeof address === 'object') resolve(address);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, host: string, port: number): Error {
  const reasons: Record<string, string> = {
    EADDRINUSE: 'the port is in use: stop the program that has it, or choose another one (`--port`)',
    EACCES: 'this user may not open the port: choose one above 1023 (`--port`)',
    EADDRNOTAVAIL: 'this machine has no such address (`--host`)',
    ENOTFOUND: 'the host name is unknown (`--host`)',
  };
  const reason = reasons[error.code ?? ''] ?? error.message;
  return Object.assign(new Error(`Cannot listen on ${host}:${port}: ${reason}.`, { cause: error }), { exitCode: 1 });
}

/** Aborts when the client goes before its answer is complete. The request's own signal fires as soon as a body was read. */
function goneSignal(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController();
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort();
  });
  return controller.signal;
}

/**
 * What went wrong before or behind the handlers, in the error envelope; a half-sent answer is cut so that nobody takes
 * it for whole.
 */
function refuse(
  error: unknown,
  app: Pick<App, 'log' | 'hideSecrets' | 'clock'>,
  { request, outgoing }: { request: IncomingMessage; outgoing: ServerResponse },
): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  const { method = '' } = request;
  const headers = new Headers({ [requestIdHeader]: requestIdOf(request.headers[requestIdHeader]?.toString()) });
  const answer = nameRequest(errorAnswer(error, app, { method, url: origin, headers }), { headers });
  answer.headers.set('connection', 'close');
  // An attempt that failed has left that of its status.
  outgoing.statusMessage = '';
  sendBeforeEnd(answer, { request, outgoing, clock: app.clock }).catch(() => outgoing.destroy());
}

/** Which answers of a connection are not sent yet; several when a client does not wait for one before it asks again. */
function noteAnswer(
  unfinished: WeakMap<Socket, Set<ServerResponse>>,
  connection: Socket,
  answer: ServerResponse,
): void {
  const answers = unfinished.get(connection) ?? new Set();
  unfinished.set(connection, answers.add(answer));
  answer.once('close', () => answers.delete(answer));
}

/** Another answer would get into the middle of this one, or in front of it. */
function isAnswering(answers: ReadonlySet<ServerResponse> = new Set()): boolean {
  return answers.size > 1 || [...answers].some((answer) => answer.headersSent);
}

async function closeServer(
  server: Server,
  streams: Set<StreamPump>,
  clock: App['clock'],
  graceMs: number,
): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  for (const pump of streams) pump.finish();
  const cancelCut = clock.after(graceMs, () => server.closeAllConnections());
  // A connection turns idle when its last answer is sent; nobody tells, so it is looked for.
  let cancelSweep = () => {};
  const sweep = () => {
    server.closeIdleConnections();
    cancelSweep = clock.after(20, sweep);
  };
  sweep();
  await done;
  cancelCut();
  cancelSweep();
}
