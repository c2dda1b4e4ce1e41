import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../helpers/free-port.ts';
import { within } from '../helpers/within.ts';

/** The reference server over streamable HTTP, behind a relay that keeps its address while the server is restarted. */
export interface HttpServer {
  url: string;
  /** The `Authorization` of every request so far. */
  authorizations(): string[];
  stop(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export async function everythingOverHttp(): Promise<HttpServer> {
  const authorizations: string[] = [];
  let port = 0;
  let child: ChildProcess | undefined;
  const relay = createServer((incoming, outgoing) => {
    authorizations.push(incoming.headers.authorization ?? '');
    const { url: path = '/', method, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.on('error', () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    onward.on('error', () => (outgoing.headersSent ? outgoing.destroy() : outgoing.writeHead(502).end()));
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');

  const start = async (): Promise<void> => {
    port = await freePort();
    const program = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';
    const started = spawn(process.execPath, [program, 'streamableHttp'], {
      env: { PATH: process.env.PATH ?? '', PORT: `${port}` },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    const listening = new Promise<void>((resolve) => {
      started.stderr.on('data', (text: Buffer) => text.includes('listening') && resolve());
    });
    await within(10_000, listening, 'the reference server');
  };
  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  process.once('exit', () => child?.kill('SIGKILL'));
  await start();
  return {
    url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}/mcp`,
    authorizations: () => authorizations,
    stop,
    async restart() {
      await stop();
      await start();
    },
    async close() {
      await stop();
      relay.closeAllConnections();
      relay.close();
    },
  };
}
