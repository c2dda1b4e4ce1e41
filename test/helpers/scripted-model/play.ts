import type { ServerResponse } from 'node:http';
import { chatBody, chatError, createChatEncoder } from './chat-reply.ts';
import { createMessagesEncoder, messagesBody, messagesError } from './messages-reply.ts';
import type { Chunking, Reply, Step, Wire } from './script.ts';
import { createWriter } from './writer.ts';

export interface PlayOptions {
  wire: Wire;
  stream: boolean;
  request: { model: string; includeUsage: boolean; id: string };
  chunking: Chunking;
  newline: '\n' | '\r\n';
  /** Waits until the named gate is released. */
  pass(gate: string): Promise<void>;
}

/** Answers one request with one reply. Resolves when the answer is over or the client is gone. */
export async function play(response: ServerResponse, reply: Reply, options: PlayOptions): Promise<void> {
  const gone = new Promise<void>((resolve) => response.once('close', resolve));
  const writer = createWriter(response, options);
  const encoder =
    options.wire === 'chat' ? createChatEncoder(reply, options.request) : createMessagesEncoder(reply, options.request);
  let begun = false;

  for (const step of reply) {
    if ('delayMs' in step) await Promise.race([gone, new Promise((resolve) => setTimeout(resolve, step.delayMs))]);
    else if ('hold' in step) await Promise.race([gone, options.pass(step.hold)]);
    else if ('hang' in step) await gone;
    else if ('headers' in step && !('status' in step)) writer.head(step.headers);
    else if ('raw' in step) await writer.bytes(step.raw);
    else if ('reset' in step) {
      await writer.flush();
      await flushed(response);
      response.socket?.resetAndDestroy();
    } else if ('end' in step) await writer.end();
    else if ('status' in step || 'html' in step) answerWhole(response, { step, wire: options.wire });
    else if (options.stream) {
      if (!begun) await writer.events(encoder.start());
      begun = true;
      await writer.events(encoder.step(step));
      if ('error' in step) await writer.end();
    }
    if (response.destroyed || response.writableEnded) return;
  }
  if (reply.some((step) => 'raw' in step)) return writer.end();
  if (!options.stream) return answerJson(response, { reply, options });
  if (!begun) await writer.events(encoder.start());
  await writer.events(encoder.end());
  await writer.end();
}

/** The vendor's error body. */
export function errorBody(wire: Wire, error: { message: string; type?: string; param?: string }): string {
  return JSON.stringify(wire === 'chat' ? { error: chatError(error) } : messagesError(error));
}

function answerWhole(
  response: ServerResponse,
  { step, wire }: { step: Extract<Step, { status: number }> | { html: string }; wire: Wire },
): void {
  if ('html' in step) {
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(step.html);
    return;
  }
  const message = step.message ?? `scripted answer ${step.status}`;
  const type = typeOfStatus[step.status] ?? 'api_error';
  response.writeHead(step.status, {
    'content-type': 'application/json',
    ...(step.retryAfter === undefined ? {} : { 'retry-after': step.retryAfter }),
    ...step.headers,
  });
  response.end(step.body ?? errorBody(wire, { message, type }));
}

function answerJson(response: ServerResponse, { reply, options }: { reply: Reply; options: PlayOptions }): void {
  const body = options.wire === 'chat' ? chatBody(reply, options.request) : messagesBody(reply, options.request);
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function flushed(response: ServerResponse): Promise<void> {
  return response.headersSent ? new Promise((resolve) => setTimeout(resolve, 20)) : Promise.resolve();
}

const typeOfStatus: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};
