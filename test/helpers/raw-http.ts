import { connect } from 'node:net';
import { within } from './within.ts';

/** Sends bytes as they are and collects what comes back until the server closes or `until` appears. */
export async function rawRequest(port: number, bytes: string | Buffer, until?: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  const answer = new Promise<string>((resolve, reject) => {
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (until !== undefined && received.includes(until)) resolve(received);
    });
    socket.on('close', () => resolve(received));
    // Who is answered in the middle of what it sends may find the connection reset behind the answer.
    socket.on('error', (error) => (received === '' ? reject(error) : resolve(received)));
  });
  socket.write(bytes);
  try {
    return await within(5_000, answer, 'the answer');
  } finally {
    socket.destroy();
  }
}
