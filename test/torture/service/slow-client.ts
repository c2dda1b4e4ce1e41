import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createParser } from 'eventsource-parser';
import type { ServerEventEnvelope } from '../../../lib/wire/event.ts';

/** A client that asks for an event stream and then hardly reads it, if at all. */
export interface SlowClient {
  /** The server has closed it. */
  readonly closed: boolean;
  /** Reads as fast as it can from now on; what had been sent meanwhile comes first. */
  readAll(onEvent: (envelope: ServerEventEnvelope) => void): void;
  destroy(): void;
}

/** Resolves when the request is sent. `bytesPerSecond` 0: it reads nothing. */
export async function slowClient(url: string, path: string, bytesPerSecond: 0 | 1): Promise<SlowClient> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect({ host: hostname, port: Number(port) });
  socket.on('error', () => undefined);
  socket.pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nAccept: text/event-stream\r\n\r\n`);
  const kept: Buffer[] = [];
  const sip = setInterval(() => {
    const byte: unknown = socket.read(1);
    if (Buffer.isBuffer(byte)) kept.push(byte);
  }, 1_000);
  if (bytesPerSecond === 0) clearInterval(sip);

  return {
    get closed() {
      return socket.destroyed || socket.readableEnded;
    },
    readAll(onEvent) {
      clearInterval(sip);
      const parser = createParser({
        onEvent: ({ data }) => onEvent(JSON.parse(data) as ServerEventEnvelope),
      });
      const unchunk = createUnchunker((text) => parser.feed(text));
      for (const bytes of kept) unchunk(bytes);
      socket.on('data', unchunk);
      socket.resume();
    },
    destroy() {
      clearInterval(sip);
      socket.destroy();
    },
  };
}

/** The body of one HTTP/1.1 answer in chunked encoding, as text. */
function createUnchunker(onText: (text: string) => void): (bytes: Buffer) => void {
  const decoder = new TextDecoder();
  let buffer = Buffer.alloc(0);
  let inBody = false;
  return (bytes) => {
    buffer = Buffer.concat([buffer, bytes]);
    if (!inBody) {
      const end = buffer.indexOf('\r\n\r\n');
      if (end < 0) return;
      inBody = true;
      buffer = buffer.subarray(end + 4);
    }
    for (;;) {
      const line = buffer.indexOf('\r\n');
      const size = line < 0 ? Number.NaN : Number.parseInt(buffer.toString('latin1', 0, line), 16);
      if (Number.isNaN(size) || buffer.length < line + 2 + size + 2) return;
      onText(decoder.decode(buffer.subarray(line + 2, line + 2 + size), { stream: true }));
      buffer = buffer.subarray(line + 2 + size + 2);
    }
  };
}
