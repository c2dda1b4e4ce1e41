import type { IncomingMessage } from 'node:http';

/**
 * The bytes of a request body straight from the connection: a third of the cost of reading it through a web stream. Gives
 * `undefined` once there are more than `limit`; what is left is then read and thrown away behind the answer.
 * Rejects when the client breaks off.
 */
export function readIncoming(request: IncomingMessage, limit: number): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = () => request.off('data', onData).off('end', onEnd).off('close', onClose);
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
    if (request.readableEnded) onEnd();
    else if (request.destroyed) onClose();
    else request.on('data', onData).on('end', onEnd).on('close', onClose);
  });
}
