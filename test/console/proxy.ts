import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy in front of the service, under a path prefix of its own; it can be cut like a cable, and lose events. */
export interface Proxy {
  /** With the prefix and a slash at the end. */
  readonly url: string;
  /** Event streams that are open, and the most there were at once. */
  readonly streams: number;
  readonly mostStreams: number;
  /** Streams of saved bundles that are open, and how many there ever were. */
  readonly bundleStreams: number;
  readonly allBundleStreams: number;
  /** Drops every connection, and refuses new ones until `heal`. */
  cut(): void;
  heal(): void;
  /** From now on open event streams stay silent: what the service sends is dropped. */
  lose(): void;
  /** Pieces of event streams that were dropped. */
  readonly lost: number;
  /** Ends that, and tells the streams that events are missing, as the service does when a client was too slow. */
  tellGap(): void;
  close(): Promise<void>;
}

export async function startProxy(
  target: string,
  prefix = '/under/a/prefix',
  { named = true }: { named?: boolean } = {},
): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let streams = 0;
  let mostStreams = 0;
  let bundleStreams = 0;
  let allBundleStreams = 0;
  const eventStreams = new Set<ServerResponse>();
  let loses = false;
  let lost = 0;

  const forward = (incoming: IncomingMessage, response: ServerResponse): void => {
    const path = incoming.url ?? '/';
    if (!path.startsWith(`${prefix}/`)) {
      response.writeHead(418).end('outside of the prefix');
      return;
    }
    const url = new URL(path.slice(prefix.length), target);
    if (url.pathname === '/api/events') {
      streams += 1;
      mostStreams = Math.max(mostStreams, streams);
      eventStreams.add(response);
      response.once('close', () => {
        streams -= 1;
        eventStreams.delete(response);
      });
    }
    if (url.pathname === '/api/plugins/events') {
      bundleStreams += 1;
      allBundleStreams += 1;
      response.once('close', () => {
        bundleStreams -= 1;
      });
    }
    // The host is the one that the browser knows, as behind any proxy that is set up well.
    const headers = { ...incoming.headers, ...(prefix === '' || !named ? {} : { 'x-forwarded-prefix': prefix }) };
    const onward = request(url, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      if (!eventStreams.has(response)) return void answer.pipe(response);
      answer.on('data', (piece) => {
        if (loses) lost += 1;
        else response.write(piece);
      });
      answer.on('end', () => response.end());
    });
    onward.on('error', () => response.destroy());
    response.once('close', () => onward.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(forward);
  server.on('connection', (socket) => {
    if (isCut) return socket.destroy();
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };

  return {
    url: `http://127.0.0.1:${port}${prefix}/`,
    get streams() {
      return streams;
    },
    get mostStreams() {
      return mostStreams;
    },
    get bundleStreams() {
      return bundleStreams;
    },
    get allBundleStreams() {
      return allBundleStreams;
    },
    cut() {
      isCut = true;
      drop();
    },
    heal() {
      isCut = false;
    },
    lose() {
      loses = true;
    },
    get lost() {
      return lost;
    },
    tellGap() {
      loses = false;
      const seq = Date.now() * 1_000;
      const event = { type: 'stream.gap', reason: 'evicted', resumedFrom: seq };
      const frame = `id: ${seq}\ndata: ${JSON.stringify({ seq, at: new Date().toISOString(), event })}\n\n`;
      for (const stream of eventStreams) stream.write(frame);
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      await closed;
    },
  };
}
