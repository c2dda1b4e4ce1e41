import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ByteServer {
  /** With `/v1`. */
  url: string;
  requests: { path: string; headers: IncomingHttpHeaders; body: string }[];
  /** How many connections were opened. */
  connections(): number;
  close(): Promise<void>;
}

/** A server on 127.0.0.1 that answers every request with what `answer` writes. */
export async function startByteServer(
  answer: (response: ServerResponse, number: number) => unknown,
): Promise<ByteServer> {
  const requests: ByteServer['requests'] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks).toString('utf8');
    const number = requests.push({ path: request.url ?? '', headers: request.headers, body }) - 1;
    try {
      await answer(response, number);
    } catch (error) {
      response.destroy(error instanceof Error ? error : undefined);
    }
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    connections: () => connections,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Sends a body in these pieces, each in a packet of its own as far as TCP lets one say so. */
export async function sendStream(response: ServerResponse, pieces: readonly Uint8Array[]): Promise<void> {
  response.socket?.setNoDelay(true);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const piece of pieces) {
    await new Promise<void>((resolve) => response.write(piece, () => resolve()));
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

/** Cuts inside every multi-byte character and between every CR and LF, at most `most` times. */
export function nastyPieces(bytes: Uint8Array, most = 400): Uint8Array[] {
  const cuts: number[] = [];
  for (let at = 1; at < bytes.length && cuts.length < most; at++) {
    const insideCharacter = ((bytes[at] ?? 0) & 0xc0) === 0x80;
    const insideLineEnd = bytes[at - 1] === 13 && bytes[at] === 10;
    if (insideCharacter || insideLineEnd) cuts.push(at);
  }
  return [0, ...cuts].map((from, index) => bytes.subarray(from, cuts[index] ?? bytes.length));
}

export function singleBytes(bytes: Uint8Array): Uint8Array[] {
  return Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
}
