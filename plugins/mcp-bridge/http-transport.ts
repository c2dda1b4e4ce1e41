import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { mostMessageBytes } from './stdio-transport.ts';

/**
 * Streamable HTTP. Headers with credentials go to the origin of the URL only: redirects are followed within it. A message
 * is at most as large as one on a pipe, so that no server can fill the memory, and a stream that ends is opened again once
 * a second at most, whatever pause the server names.
 */
export async function createHttpTransport(
  url: URL,
  headers: Record<string, string>,
): Promise<StreamableHTTPClientTransport> {
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
  return new StreamableHTTPClientTransport(url, { requestInit: { headers }, fetch: createPacedFetch() });
}

const streamEveryMs = 1_000;

/** Messages are sent with POST; a GET opens a stream. */
function createPacedFetch(): typeof boundedFetch {
  let nextAt = 0;
  return async (input, init) => {
    if (init?.method === 'GET') {
      const now = performance.now();
      const wait = nextAt - now;
      nextAt = Math.max(now, nextAt) + streamEveryMs;
      if (wait > 0) await sleep(wait, undefined, init.signal ? { signal: init.signal } : {});
    }
    return boundedFetch(input, init);
  };
}

async function boundedFetch(input: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(input, init);
  if (response.body === null) return response;
  const isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
  const bounded = response.body.pipeThrough(boundMessages(isStream));
  return new Response(bounded, { status: response.status, statusText: response.statusText, headers: response.headers });
}

/**
 * Counts the bytes since the last empty line, which is where a message of an event stream ends; any other answer is one
 * message.
 */
function boundMessages(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  let lastWasNewline = false;
  return new TransformStream({
    transform(chunk, controller) {
      for (let start = 0; start < chunk.length; ) {
        const at = chunk.indexOf(10, start);
        const end = at === -1 ? chunk.length : at + 1;
        // "\n" or "\r\n" alone on a line.
        const isEmptyLine =
          lastWasNewline && at !== -1 && end - start <= 2 && (end - start === 1 || chunk[start] === 13);
        size = isStream && isEmptyLine ? 0 : size + end - start;
        lastWasNewline = at !== -1;
        start = end;
        if (size > mostMessageBytes) {
          controller.error(new Error(`It sent a message of over ${mostMessageBytes / 1024 / 1024} MB.`));
          return;
        }
      }
      controller.enqueue(chunk);
    },
  });
}
