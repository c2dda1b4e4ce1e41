import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:http';
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
  /** The address of a socket, as WebRTC wants it. */
  stun: string;
  /** Paths that were asked for, and `udp` for every packet. */
  heard: string[];
}

/** Answers everything, to everybody; its documents allow everything. */
export async function startForeign(): Promise<Foreign> {
  const targets = await Promise.all(['confined', 'control'].map(listen));
  const [confined, control] = targets;
  if (!confined || !control) throw new Error('unreachable');
  const of = (host = '') => (host.startsWith('control') ? control : confined).target;
  const server = createServer(({ url = '', headers }, response) => {
    if (!pages.has(url)) of(headers.host).heard.push(url);
    const type = url.endsWith('.js') ? 'text/javascript' : url.endsWith('.css') ? 'text/css' : 'text/html';
    response.setHeader('access-control-allow-origin', '*');
    response.setHeader('content-type', url.endsWith('.json') ? 'application/json' : type);
    response.end(
      url === '/page' ? '<title>Control</title><iframe src="/frame"></iframe><iframe src="/sibling"></iframe>' : '0',
    );
  });
  server.on('upgrade', ({ url = '', headers }, socket) => {
    of(headers.host).heard.push(url);
    socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const { target } of targets) target.url = `http://${target.name}.localhost:${port}/`;
  return {
    confined: confined.target,
    control: control.target,
    close() {
      server.closeAllConnections();
      server.close();
      for (const { udp } of targets) udp.close();
    },
  };
}

const pages: ReadonlySet<string> = new Set(['/page', '/frame', '/sibling', '/favicon.ico']);

async function listen(name: string) {
  const heard: string[] = [];
  const udp = createSocket('udp4', () => heard.push('udp'));
  udp.bind(0, '127.0.0.1');
  await once(udp, 'listening');
  const target: Target = { name, url: '', stun: `stun:127.0.0.1:${udp.address().port}`, heard };
  return { target, udp };
}
