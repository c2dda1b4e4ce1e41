import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** The decoded body, cut at `most` bytes: a small answer may unpack to gigabytes, so what is counted is what comes out. */
export async function readBody(response: IncomingMessage, most: number): Promise<{ body: Buffer; truncated: boolean }> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of decoded(response)) {
      chunks.push(chunk);
      size += chunk.length;
      if (size > most) break;
    }
  } finally {
    response.destroy();
  }
  const body = Buffer.concat(chunks);
  return { body: body.subarray(0, most), truncated: size > most };
}

function decoded(response: IncomingMessage): AsyncIterable<Buffer> {
  const names = (response.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 2) throw new Error('The answer is packed more than twice.');
  return names.reverse().reduce<Readable>((source, name) => pipeline(source, decoder(name), () => {}), response);
}

function decoder(name: string): Transform {
  if (name === 'gzip' || name === 'x-gzip') return createGunzip();
  if (name === 'deflate') return createInflate();
  if (name === 'br') return createBrotliDecompress();
  throw new Error(`The answer is packed in a way that is not known (${name.slice(0, 20)}).`);
}
