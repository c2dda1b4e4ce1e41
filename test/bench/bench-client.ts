import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';

/** One open event stream. It looks for marks in the bytes and parses nothing, so that the client is not what is measured. */
export interface Listener {
  /** Resolves with the time at which the next `message.delta` after the last `run.finished` was seen. */
  firstDelta(): Promise<number>;
  /** Resolves with the time of the next `run.finished`. */
  finished(): Promise<number>;
  close(): void;
}

export interface BenchClient {
  request(method: string, path: string, body?: object): Promise<{ status: number; text: string }>;
  createSession(): Promise<string>;
  /** Resolves when the stream stands. */
  listen(sessionId: string): Promise<Listener>;
  /** Resolves with the milliseconds to the 202. */
  send(sessionId: string, content: string): Promise<number>;
  close(): void;
}

export function createBenchClient(port: number): BenchClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const streams = new Set<() => void>();

  const request: BenchClient['request'] = (method, path, body) =>
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
    request,
    async createSession() {
      const { status, text } = await request('POST', '/api/sessions', {});
      if (status !== 201) throw new Error(`POST /api/sessions answered ${status}: ${text}`);
      return (JSON.parse(text) as { session: { id: string } }).session.id;
    },
    listen: (sessionId) =>
      new Promise((resolve, reject) => {
        const path = `/api/sessions/${sessionId}/events`;
        const opened = httpRequest({ host: '127.0.0.1', port, path, agent: false }, (response) => {
          if (response.statusCode !== 200) return reject(new Error(`GET ${path} answered ${response.statusCode}`));
          const close = () => opened.destroy();
          streams.add(close);
          response.once('data', () => resolve(createListener(response, close)));
        });
        opened.on('error', reject).end();
      }),
    async send(sessionId, content) {
      const before = performance.now();
      const { status, text } = await request('POST', `/api/sessions/${sessionId}/messages`, { content });
      if (status !== 202) throw new Error(`POST messages answered ${status}: ${text}`);
      return performance.now() - before;
    },
    close() {
      for (const close of streams) close();
      agent.destroy();
    },
  };
}

const marks = { delta: '"message.delta"', finished: '"run.finished"', failed: '"run.failed"' };
const longestMark = 16;

function createListener(response: IncomingMessage, close: () => void): Listener {
  let tail = '';
  let delta: number | undefined;
  const ends: number[] = [];
  let onDelta: ((at: number) => void) | undefined;
  let onEnd: ((at: number) => void) | undefined;
  let failure: Error | undefined;
  response.setEncoding('latin1').on('error', () => {});
  response.on('data', (chunk: string) => {
    const now = performance.now();
    const text = tail + chunk;
    tail = text.slice(-longestMark);
    if (text.includes(marks.failed))
      failure = new Error(`a run failed: ${text.slice(text.indexOf(marks.failed), 300)}`);
    if (delta === undefined && text.includes(marks.delta)) {
      delta = now;
      onDelta?.(now);
    }
    const end = text.indexOf(marks.finished);
    if (end < 0 && !failure) return;
    tail = '';
    if (onEnd) onEnd(now);
    else ends.push(now);
  });
  const check = (at: number): number => {
    if (failure) throw failure;
    return at;
  };
  return {
    firstDelta: () =>
      new Promise((resolve) => {
        if (delta === undefined) onDelta = resolve;
        else resolve(delta);
      }),
    async finished() {
      const nextEnd = new Promise<number>((resolve) => {
        onEnd = ends.length === 0 ? resolve : undefined;
      });
      const at = ends.shift() ?? (await nextEnd);
      onEnd = undefined;
      onDelta = undefined;
      delta = undefined;
      return check(at);
    },
    close,
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
  await client.send(sessionId, content);
  const totalMs = (await end) - before;
  return { firstMs: (await Promise.race([first, Promise.resolve(before)])) - before, totalMs };
}
