import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A place that bundles must not reach, under one name for the bundles and another for the same attacks without a sandbox. */
export interface Foreign {
  confined: Target;
  control: Target;
  close(): void;
}

export interface Target {
  name: string;
  /** With a slash at the end. */
  url: string;
  /** Sockets for packets, `127.0.0.1:<port>`: one for WebRTC, one for WebTransport. */
  stun: string;
  quic: string;
  /** Paths that were asked for, `connected` for every connection, `stun` and `quic` for every packet. */
  heard: string[];
  /** The headers of the last request for a path. */
  headers: Map<string, IncomingHttpHeaders>;
}

export async function startForeign(): Promise<Foreign> {
  const [confined, control] = await Promise.all([listen('confined'), listen('control')]);
  return {
    confined: confined.target,
    control: control.target,
    close() {
      confined.close();
      control.close();
    },
  };
}

const pages: ReadonlySet<string> = new Set(['/page', '/frame', '/sibling', '/favicon.ico']);

/** Answers everything, to everybody; its documents allow everything. */
async function listen(name: string): Promise<{ target: Target; close(): void }> {
  const heard: string[] = [];
  const headers: Target['headers'] = new Map();
  const [stun, quic] = await Promise.all([socket(() => heard.push('stun')), socket(() => heard.push('quic'))]);
  const server = createServer((request, response) => {
    const { url = '', method } = request;
    if (!pages.has(url)) heard.push(url);
    headers.set(url, request.headers);
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*');
    response.setHeader('content-type', typeOf(url));
    if (method === 'OPTIONS') response.statusCode = 204;
    response.end(url === '/page' ? page : '0');
  });
  server.on('connection', () => heard.push('connected'));
  server.on('upgrade', ({ url = '' }, socket) => {
    heard.push(url);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://${name}.localhost:${port}/`;
  return {
    target: { name, url, stun: addressOf(stun), quic: addressOf(quic), heard, headers },
    close() {
      server.closeAllConnections();
      server.close();
      stun.close();
      quic.close();
    },
  };
}

async function socket(hear: () => void): Promise<Socket> {
  const made = createSocket('udp4', hear);
  made.bind(0, '127.0.0.1');
  await once(made, 'listening');
  return made;
}

function addressOf(udp: Socket): string {
  return `127.0.0.1:${udp.address().port}`;
}

const page = '<title>Control</title><iframe src="/frame"></iframe><iframe src="/sibling"></iframe>';

function typeOf(url: string): string {
  const path = url.replace(/\?.*/, '');
  if (path.endsWith('.js')) return 'text/javascript';
  if (path.endsWith('.css')) return 'text/css';
  if (path.endsWith('.svg')) return 'image/svg+xml';
  return path.endsWith('.json') ? 'application/json' : 'text/html';
}
