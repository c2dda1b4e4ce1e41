import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SessionEvent } from '../../lib/wire/event.ts';

export interface Seen {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export type Answer = (response: ServerResponse, seen: Seen) => void;

/** A server that answers `METHOD /path` (without the query) as told, and remembers what was asked. */
export async function startFakeService(answers: Record<string, Answer>) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = request.url ?? '/';
    const record = { method: request.method ?? '', path, headers: request.headers, body: text && JSON.parse(text) };
    seen.push(record);
    const answer = answers[`${record.method} ${path.split('?')[0]}`] ?? answers['*'];
    if (answer) answer(response, record);
    else json(404, { error: { code: 'not_found', message: 'no such route' } })(response, record);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  };
}

/** Opens an event stream and leaves it open; write frames to what `onOpen` gets. */
export function stream(onOpen: (response: ServerResponse, seen: Seen) => void, retryMs = 5): Answer {
  return (response, seen) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`retry: ${retryMs}\n\n: ping\n\n`);
    onOpen(response, seen);
  };
}

export function frame(seq: number, event: SessionEvent): string {
  const envelope = { seq, at: '2026-01-01T00:00:00.000Z', event };
  return `id: ${seq}\ndata: ${JSON.stringify(envelope)}\n\n`;
}
