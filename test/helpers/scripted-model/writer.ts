import type { ServerResponse } from 'node:http';
import type { Chunking } from './script.ts';

/** Writes event text in the cuts that `chunking` asks for. Nothing is sent before the first event. */
export function createWriter(response: ServerResponse, options: { chunking: Chunking; newline: '\n' | '\r\n' }) {
  let kept: Buffer[] = [];

  async function send(chunk: Buffer): Promise<void> {
    if (response.destroyed) return;
    head();
    for (const part of cut(chunk, options.chunking)) {
      if (response.destroyed) return;
      response.write(part);
      if (options.chunking !== 'event' && options.chunking !== 'whole') await nextTurn();
    }
  }

  function head(headers: Record<string, string> = {}): void {
    if (response.headersSent || response.destroyed) return;
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      ...headers,
    });
    response.flushHeaders();
  }

  async function flush(): Promise<void> {
    const whole = Buffer.concat(kept);
    kept = [];
    if (whole.length > 0) await send(whole);
  }

  return {
    head,
    flush,
    async events(texts: string[]): Promise<void> {
      const line = options.newline;
      const buffers = texts.map((text) => Buffer.from(line === '\n' ? text : text.replaceAll('\n', line)));
      if (options.chunking === 'whole') kept.push(...buffers);
      else for (const buffer of buffers) await send(buffer);
    },
    async bytes(raw: string | Uint8Array): Promise<void> {
      const buffer = Buffer.from(raw);
      if (options.chunking === 'whole') kept.push(buffer);
      else await send(buffer);
    },
    async end(): Promise<void> {
      await flush();
      head();
      if (!response.destroyed) response.end();
    },
  };
}

/** The parts of a buffer. `nasty` cuts inside every multi-byte character, between CR and LF, and between the two ends of an event. */
export function cut(buffer: Buffer, chunking: Chunking): Buffer[] {
  if (chunking === 'event' || chunking === 'whole') return [buffer];
  const cuts: number[] = [];
  for (let at = 1; at < buffer.length; at++) {
    const byte = buffer.readUInt8(at);
    const nasty = (byte & 0xc0) === 0x80 || byte === 0x0a;
    if (chunking === 'nasty' ? nasty : at % chunking === 0) cuts.push(at);
  }
  return [...cuts, buffer.length].map((end, index) => buffer.subarray(cuts[index - 1] ?? 0, end));
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
