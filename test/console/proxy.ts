import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A proxy in front of the service, under a path prefix of its own; it can be cut like a cable. */
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
  close(): Promise<void>;
}

export async function startProxy(target: string, prefix = '/under/a/prefix'): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let streams = 0;
  let mostStreams = 0;
  let bundleStreams = 0;
  let allBundleStreams = 0;

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
      response.once('close', () => {
        streams -= 1;
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
    const onward = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
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
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      drop();
      await closed;
    },
  };
}
