import { Agent, request as httpRequest } from 'node:http';
import type { Ask, Dialect } from './driver.ts';
import { createListener, type Listener } from './listener.ts';

/** Talks to one process; close it with the process. */
export interface BenchClient {
  readonly dialect: Dialect;
  request: Ask;
  createSession(options?: { workspace?: string }): Promise<string>;
  /** Resolves when the stream stands. */
  listen(sessionId: string): Promise<Listener>;
  /** Resolves with the milliseconds to the acceptance. */
  send(sessionId: string, content: string): Promise<number>;
  close(): void;
}

/** A stream that says nothing at first counts as standing this long after its headers. */
const silentMs = 50;

export function createBenchClient(port: number, dialect: Dialect): BenchClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const streams = new Set<() => void>();

  const request: Ask = (method, path, body) =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {};
      const sent = httpRequest({ host: '127.0.0.1', port, method, path, agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        response.on('error', reject);
      });
      sent.on('error', reject).end(text);
    });

  return {
    dialect,
    request,
    createSession: (options = {}) => dialect.createSession(request, options),
    listen: (sessionId) =>
      new Promise((resolve, reject) => {
        const path = dialect.eventsPath(sessionId);
        const opened = httpRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
          if (response.statusCode !== 200) return reject(new Error(`GET ${path} answered ${response.statusCode}`));
          const close = () => {
            streams.delete(close);
            opened.destroy();
          };
          streams.add(close);
          const listener = createListener(response, { marks: dialect.marks(sessionId), close });
          const stands = () => resolve(listener);
          response.once('data', stands);
          setTimeout(stands, silentMs).unref();
        });
        opened.on('error', reject).end();
      }),
    async send(sessionId, content) {
      const before = performance.now();
      await dialect.sendMessage(request, sessionId, content);
      return performance.now() - before;
    },
    close() {
      for (const close of streams) close();
      agent.destroy();
    },
  };
}

/** Sends and waits: milliseconds from the POST to the first delta and to the end of the run. */
export async function turn(
  client: BenchClient,
  { sessionId, listener, content }: { sessionId: string; listener: Listener; content: string },
): Promise<{ firstMs: number; totalMs: number }> {
  const before = performance.now();
  const first = listener.firstDelta();
  const end = listener.finished();
  // It may fail before the POST is answered.
  end.catch(() => {});
  await client.send(sessionId, content);
  const totalMs = (await end) - before;
  return { firstMs: (await Promise.race([first, Promise.resolve(before)])) - before, totalMs };
}
