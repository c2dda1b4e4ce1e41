import type { IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { createBrotliDecompress, createGunzip, createInflate, constants as zlib } from 'node:zlib';
import { createParser } from 'eventsource-parser';
import type { Clock } from '../base/clock.ts';
import { ProviderError } from './model.ts';
import type { Exchange } from './provider-http-exchange.ts';
import { condense, networkFailure } from './provider-http-failure.ts';
import { parseJson } from './provider-json.ts';

/** What a streaming answer is handed to, until its call has ended. Whatever it throws ends the call. */
export interface EventReader {
  /** One server-sent event; `true` says that nothing of interest follows. Called in the tick in which its bytes arrived. */
  onEvent(data: string, name: string | undefined): boolean;
  /** The answer was one JSON document instead of a stream. */
  onDocument(value: unknown): void;
}

export interface BodyLimits {
  responseBytes: number;
  /** One line of a stream, or a whole JSON document, in characters. */
  lineChars: number;
}

const endGraceMs = 50;

/** Turns the bytes of a body into events or into one document, whatever its content type claims. */
export interface BodyDecoder {
  /** True when the reader has all it wants. Throws ProviderError when the body is not what a provider sends, or too much. */
  write(chunk: Uint8Array): boolean;
  end(): void;
}

export function createBodyDecoder(provider: string, reader: EventReader, limits: BodyLimits): BodyDecoder {
  // A tenth of a TextDecoder's time for the usual small chunk.
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  let events = 0;
  let done = false;
  let form: 'unknown' | 'events' | 'document' = 'unknown';
  let head = '';
  let overflow = false;

  const parser = createParser({
    maxBufferSize: limits.lineChars,
    onEvent({ data, event }) {
      events += 1;
      if (!done) done = reader.onEvent(data, event);
    },
    onError(error) {
      if (error.type === 'max-buffer-size-exceeded') overflow = true;
    },
  });

  const take = (text: string): void => {
    if (form === 'events') {
      parser.feed(text);
      if (events === 0 && head.length < 2_000) head += text;
    } else {
      head += text;
      if (form === 'unknown') begin();
    }
    if (overflow || (form === 'document' && head.length > limits.lineChars))
      throw new ProviderError(`${provider} sent a single event of more than ${limits.lineChars} characters.`);
  };

  const begin = (): void => {
    head = head.trimStart();
    const first = head[0];
    if (first === undefined) return;
    form = first === '{' || first === '[' || first === '<' ? 'document' : 'events';
    if (form === 'events') parser.feed(head);
  };

  return {
    write(chunk) {
      bytes += chunk.byteLength;
      if (bytes > limits.responseBytes)
        throw new ProviderError(`${provider} sent more than ${limits.responseBytes} bytes in one answer.`);
      take(decoder.write(chunk));
      return done;
    },
    end() {
      take(decoder.end());
      // The last event counts even when its closing blank line is missing.
      if (form === 'events') parser.feed('\n\n');
      if (events > 0) return;
      const document = form === 'document' ? parseJson(head) : undefined;
      if (document === undefined) throw notAnAnswer(provider, head);
      reader.onDocument(document);
    },
  };
}

/**
 * Feeds a response to a decoder, read by read. A body whose reader is content gets a moment to end by itself, because
 * only then its connection can serve the next call at once.
 */
export function decodeBody(
  response: IncomingMessage,
  decoder: BodyDecoder,
  { result, provider, clock }: { result: Exchange<void>; provider: string; clock: Clock },
): void {
  let isContent = false;
  const step = (read: () => void): void => {
    if (result.settled || isContent) return;
    try {
      read();
    } catch (error) {
      result.reject(error);
    }
  };
  const content = decompressed(response);
  content.on('data', (chunk: Buffer) => {
    result.touch();
    step(() => {
      isContent = decoder.write(chunk);
      if (isContent) clock.after(endGraceMs, result.resolve);
    });
  });
  content.on('end', () => {
    step(() => decoder.end());
    result.resolve();
  });
  content.on('error', (error) => (isContent ? result.resolve() : result.reject(networkFailure(provider, error))));
}

/** Reads a response as text: at most `mostBytes` of it, and no longer than `withinMs`. What it has by then is the text. */
export function collectText(
  response: IncomingMessage,
  finish: (text: string) => void,
  { clock, mostBytes, withinMs }: { clock: Clock; mostBytes: number; withinMs: number },
): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const end = (): void => {
    stopWaiting();
    finish(Buffer.concat(chunks.splice(0)).subarray(0, mostBytes).toString('utf8'));
  };
  const stopWaiting = clock.after(withinMs, end);
  const content = decompressed(response);
  content.on('data', (chunk: Buffer) => {
    if (size >= mostBytes) return;
    chunks.push(chunk);
    size += chunk.byteLength;
    if (size >= mostBytes) end();
  });
  content.on('end', end);
  content.on('error', end);
}

/** The body as the sender meant it. No compression is asked for, but a proxy may apply one all the same. */
function decompressed(response: IncomingMessage): Readable {
  const decoder = createDecompressor((response.headers['content-encoding'] ?? '').trim().toLowerCase());
  if (decoder === undefined) return response;
  response.on('error', (error) => decoder.destroy(error));
  return response.pipe(decoder);
}

function createDecompressor(encoding: string): Transform | undefined {
  const flush = { flush: zlib.Z_SYNC_FLUSH, finishFlush: zlib.Z_SYNC_FLUSH };
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip(flush);
  if (encoding === 'deflate') return createInflate(flush);
  return encoding === 'br' ? createBrotliDecompress() : undefined;
}

function notAnAnswer(provider: string, head: string): ProviderError {
  const text = condense(head);
  if (text === '') return new ProviderError(`${provider} sent an empty answer.`, { retryable: true });
  return new ProviderError(`${provider} answered with something that is no model output (check baseUrl): ${text}`);
}
