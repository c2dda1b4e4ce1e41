import type { ServerResponse } from 'node:http';
import { textOf } from '../lib/http/respond.ts';
import { pumpBehind } from '../lib/http/sse.ts';
import type { StreamPump } from '../lib/http/stream-pump.ts';

/**
 * Writes the answers that are made here straight to the socket, past the web streams of the adapter: JSON in one piece with
 * its length, event streams as one write a packet. False: the adapter must send it.
 */
export function sendDirectly(
  response: Response,
  socket: ServerResponse,
  onStream: (pump: StreamPump) => void,
): boolean {
  // A client that leaves in the middle of a write is no failure of ours.
  socket.on('error', () => {});
  const pump = pumpBehind(response);
  if (pump) {
    writeHead(socket, response);
    onStream(pump);
    socket.on('drain', () => pump.resume());
    pump.start({
      write: (text) => socket.write(text),
      end: () => void socket.end(),
    });
    return true;
  }
  const text = response.body === null ? '' : textOf(response);
  if (text === undefined) return false;
  // The answer to HEAD names the length of the body that GET has, or none.
  const isHead = socket.req.method === 'HEAD';
  const bare = isHead || response.status === 204 || response.status === 304 || response.headers.has('content-length');
  if (!bare) response.headers.set('content-length', String(Buffer.byteLength(text)));
  writeHead(socket, response);
  socket.end(text);
  return true;
}

function writeHead(socket: ServerResponse, { status, headers }: Response): void {
  const fields: [string, string][] = [...headers];
  socket.writeHead(status, fields.flat());
}
