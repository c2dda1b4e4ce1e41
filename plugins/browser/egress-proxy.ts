import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type LookupFunction, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../lib/plugin-api/index.ts';

type Addresses = { address: string; family: number }[];

export interface EgressProxy {
  /** On the loopback interface. */
  readonly port: number;
  /** Ends every connection. */
  close(): void;
}

export interface EgressProxyOptions {
  /** Resolves with the addresses that may be connected to. Rejects with the reason why there are none. */
  check(url: string): Promise<Addresses>;
  refused(url: string, reason: string): void;
}

/** Response header on what the proxy answers itself. */
export const refusedHeader = 'x-egress-refused';

const mostResponseBytes = 64 * 1024 * 1024;
const mostTunnelBytes = 512 * 1024 * 1024;
const forbidden = 'HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n';

/** Chromium asks its maker about the forms of every page. The switch against it would replace those that playwright-core sets. */
const ownErrands = /^https:\/\/content-autofill\.googleapis\.com[.:/]/i;
const hopByHop = ['connection', 'proxy-connection', 'proxy-authorization', 'keep-alive', 'te', 'upgrade'];

/**
 * The only way out of a browser context: an HTTP proxy that asks the address policy about every request, so that it holds
 * for navigations, redirects, frames, scripts and sockets alike. Names are resolved here, once, and connections go to
 * exactly the addresses that were checked.
 */
export async function startEgressProxy({ check, refused }: EgressProxyOptions): Promise<EgressProxy> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const open = new Set<Duplex>();
  const keep = <S extends Duplex>(socket: S): S => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    return socket;
  };

  const allow = async (url: string): Promise<Addresses | { reason: string }> => {
    try {
      return await check(url);
    } catch (error) {
      const reason = messageOf(error);
      refused(url, reason);
      return { reason };
    }
  };

  const forward = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const target = incoming.url ?? '';
    if (!/^http:\/\//i.test(target) || !URL.canParse(target)) return refuse(outgoing, 400, 'This is a proxy.');
    const url = new URL(target);
    const addresses = await allow(url.href);
    if (outgoing.destroyed) return;
    if (!Array.isArray(addresses)) return refuse(outgoing, 403, addresses.reason);
    const headers = Object.fromEntries(Object.entries(incoming.headers).filter(([name]) => !hopByHop.includes(name)));
    const onward = request(url, { method: incoming.method, headers, agent, lookup: only(addresses) }, (answer) => {
      if (!begin(outgoing, answer)) return;
      countBytes(answer, mostResponseBytes, () => outgoing.destroy());
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    onward.on('error', () =>
      outgoing.headersSent ? outgoing.destroy() : refuse(outgoing, 502, `${url.host} could not be reached.`),
    );
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  };

  const tunnel = async (incoming: IncomingMessage, client: Duplex, head: Buffer): Promise<void> => {
    client.on('error', () => client.destroy());
    const url = `https://${incoming.url ?? ''}/`;
    if (ownErrands.test(url)) return void client.end(forbidden);
    const addresses = URL.canParse(url) ? await allow(url) : { reason: 'This is no address.' };
    if (client.destroyed) return;
    if (!Array.isArray(addresses)) return void client.end(forbidden);
    const { hostname, port } = new URL(url);
    const host = hostname.replace(/^\[(.*)\]$/, '$1');
    const server: Socket = keep(connect({ host, port: Number(port || 443), lookup: only(addresses) }));
    server.on('connect', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      if (head.length > 0) server.write(head);
      countBytes(server, mostTunnelBytes, () => server.destroy());
      server.pipe(client).pipe(server);
    });
    server.on('error', () => client.destroy());
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  };

  const proxy = createServer((incoming, outgoing) => void forward(incoming, outgoing).catch(() => outgoing.destroy()));
  proxy.on('connection', keep);
  proxy.on('connect', (incoming: IncomingMessage, client: Duplex, head: Buffer) => {
    tunnel(incoming, client, head).catch(() => client.destroy());
  });
  proxy.on('clientError', (_error, socket) => socket.destroy());
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  proxy.unref();
  return {
    port: (proxy.address() as AddressInfo).port,
    close() {
      proxy.close();
      agent.destroy();
      for (const socket of open) socket.destroy();
    },
  };
}

/**
 * Hands status and headers on. A strange server sends what the parser takes and the writer throws at, a status of 000 or
 * trailers without chunks: then it is refused here, and the result is false.
 */
function begin(outgoing: ServerResponse, answer: IncomingMessage): boolean {
  try {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    return true;
  } catch {
    answer.destroy();
    refuse(outgoing, 502, 'The server answered with something that is no HTTP.');
    return false;
  }
}

function refuse(outgoing: ServerResponse, status: number, reason: string): void {
  outgoing
    .writeHead(status, {
      'content-type': 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      [refusedHeader]: '1',
    })
    .end(reason);
}

/** Whatever the name means by now. */
function only(addresses: Addresses): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, addresses);
    else callback(null, first?.address ?? '', first?.family);
  };
}

function countBytes(stream: IncomingMessage | Socket, most: number, tooMany: () => void): void {
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > most) tooMany();
  });
}
