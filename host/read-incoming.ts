import type { IncomingMessage } from 'node:http';
import type { Clock } from '../lib/base/clock.ts';
import { ServiceError } from '../lib/wire/errors.ts';

/**
 * The bytes of a request body straight from the connection: a third of the cost of reading it through a web stream. Gives
 * `undefined` once there are more than `limit`; what is left is then read and thrown away behind the answer.
 * Rejects when the client breaks off, and with ServiceError `request_timeout` when not all of it is here after `timeoutMs`.
 */
export function readIncoming(
  request: IncomingMessage,
  limit: number,
  { clock, timeoutMs }: { clock: Pick<Clock, 'after'>; timeoutMs: number },
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    let disarm = () => {};
    const settle = () => {
      disarm();
      request.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const onData = (chunk: Buffer) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length <= limit) return;
      settle();
      request.pause();
      resolve(undefined);
    };
    const onEnd = () => {
      settle();
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length));
    };
    const onClose = () => {
      settle();
      reject(new Error('The client broke off.'));
    };
    const onLate = () => {
      settle();
      request.pause();
      reject(lateBody(timeoutMs));
    };
    if (request.readableEnded) onEnd();
    else if (request.destroyed) onClose();
    else {
      disarm = clock.after(timeoutMs, onLate);
      request.on('data', onData).on('end', onEnd).on('close', onClose);
    }
  });
}

function lateBody(timeoutMs: number): ServiceError {
  const text = `The request body did not arrive within ${timeoutMs / 1000} seconds: send the request again.`;
  return new ServiceError('request_timeout', text, { headers: { connection: 'close' } });
}
