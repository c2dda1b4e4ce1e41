import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../lib/base/clock.ts';
import { pumpBehind } from '../lib/http/sse.ts';
import type { StreamPump } from '../lib/http/stream-pump.ts';
import { wholeBody } from '../lib/wire/whole-response.ts';

/**
 * Writes the answers that are made here straight to the connection, past the web streams of the adapter: bodies in one piece with
 * its length, event streams as one write a packet. False: the adapter must send it.
 */
export function sendDirectly(
  response: Response,
  outgoing: ServerResponse,
  onStream: (pump: StreamPump) => void,
): boolean {
  // A client that leaves in the middle of a write is no failure of ours.
  outgoing.on('error', () => {});
  const pump = pumpBehind(response);
  if (pump) {
    writeHead(outgoing, response);
    onStream(pump);
    startPump(pump, outgoing);
    return true;
  }
  const body = response.body === null ? '' : wholeBody(response);
  if (body === undefined) return false;
  // The answer to HEAD names the length of the body that GET has, or none.
  const isHead = outgoing.req.method === 'HEAD';
  const bare = isHead || response.status === 204 || response.status === 304 || response.headers.has('content-length');
  if (!bare) response.headers.set('content-length', String(Buffer.byteLength(body)));
  writeHead(outgoing, response);
  outgoing.end(body);
  return true;
}

/**
 * Every packet is one write to the connection, behind the head and the greeting. Node's own would make four of it, and hold them
 * back until everything that is due in this tick is done.
 */
function startPump(pump: StreamPump, outgoing: ServerResponse): void {
  const resume = () => pump.resume();
  outgoing.on('drain', resume);
  let connection: Socket | undefined;
  pump.start({
    write(text) {
      if (connection) return writeChunk(connection, text);
      const takesMore = outgoing.write(text);
      // A client of HTTP/1.0 gets no chunks, and an answer whose turn on the connection has not come has none yet.
      if (outgoing.chunkedEncoding && outgoing.socket) {
        connection = outgoing.socket.on('drain', resume);
        outgoing.once('close', () => connection?.off('drain', resume));
      }
      return takesMore;
    },
    end: () => void outgoing.end(),
  });
}

/** One chunk of a chunked body (RFC 9112, 7.1). What is all ASCII needs no encoder. */
function writeChunk(connection: Socket, text: string): boolean {
  const bytes = Buffer.byteLength(text);
  return connection.write(`${bytes.toString(16)}\r\n${text}\r\n`, bytes === text.length ? 'latin1' : 'utf8');
}

/** How long the rest of a body that nobody wants is taken in. */
const lingerMs = 10_000;

/**
 * Answers a request whose body is still arriving: all of the answer at once, and the end only when the rest was read and
 * thrown away. Ending earlier resets the connection, and a client that is still sending never sees why it was refused.
 */
export async function sendBeforeEnd(
  response: Response,
  { request, outgoing, clock }: { request: IncomingMessage; outgoing: ServerResponse; clock: Pick<Clock, 'after'> },
): Promise<void> {
  outgoing.on('error', () => {});
  const body = Buffer.from(await response.arrayBuffer());
  const hasBody = response.status !== 204 && response.status !== 304 && outgoing.req.method !== 'HEAD';
  if (hasBody) response.headers.set('content-length', String(body.byteLength));
  writeHead(outgoing, response);
  if (hasBody && body.byteLength > 0) outgoing.write(body);
  else outgoing.flushHeaders();
  await readToEnd(request, clock);
  // What never came whole can't be told from the next request.
  if (!request.complete) outgoing.once('finish', () => request.socket.destroySoon());
  outgoing.end();
}

function readToEnd(request: IncomingMessage, clock: Pick<Clock, 'after'>): Promise<void> {
  if (request.readableEnded || request.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const cancel = clock.after(lingerMs, resolve);
    const finish = (): void => {
      cancel();
      resolve();
    };
    request.once('end', finish).once('close', finish).resume();
  });
}

function writeHead(outgoing: ServerResponse, { status, headers }: Response): void {
  const fields: [string, string][] = [...headers];
  outgoing.writeHead(status, fields.flat());
}
