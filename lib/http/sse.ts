import type { App } from '../app.ts';
import type { Principal } from '../auth/principal.ts';
import { limits } from '../wire/limits.ts';
import { StreamPump, type TextSource } from './stream-pump.ts';

export interface EventStreamOptions {
  app: Pick<App, 'auth' | 'clock'>;
  principal: Principal;
  /** An event cursor, or any other source of SSE frames. Closed with the stream. */
  cursor: TextSource;
  signal: AbortSignal;
}

const pumpOf = Symbol.for('service.response.pump');

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};

/**
 * An answer that streams server-sent events (contract: Stream format). It ends when the client leaves, the source ends or the
 * caller's credential is revoked, and then closes the source.
 */
export function eventStream({ app, principal, cursor, signal }: EventStreamOptions): Response {
  const { heartbeatMs, retryMs } = limits;
  let forgetRevocation = () => {};
  const onClose = () => forgetRevocation();
  const pump = new StreamPump(cursor, { clock: app.clock, heartbeatMs, retryMs, signal, onClose });
  forgetRevocation = app.auth.whenRevoked(principal, () => pump.close());
  if (signal.aborted) forgetRevocation();
  const response = new Response(webStream(pump), { headers });
  return Object.defineProperty(response, pumpOf, { value: pump });
}

/** The pump behind an event stream, for a host that writes it to its socket itself instead of reading the body. */
export function pumpBehind(response: Response): StreamPump | undefined {
  const pump: unknown = Reflect.get(response, pumpOf);
  return pump instanceof StreamPump ? pump : undefined;
}

/** The one place that touches a stream controller: enqueuing after the reader cancelled would throw. */
function webStream(pump: StreamPump): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let started = false;
  let open = true;
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (started) return pump.resume();
        started = true;
        pump.start({
          write(text) {
            if (open) controller.enqueue(encoder.encode(text));
            return false;
          },
          end() {
            if (open) controller.close();
            open = false;
          },
        });
      },
      cancel() {
        open = false;
        pump.close();
      },
    },
    // Nothing is made before somebody reads.
    { highWaterMark: 0 },
  );
}
