import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';

export interface Deadlines {
  /** A new connection was asked for: it has `connectTimeoutMs` to come up. */
  connecting(socket: Socket): void;
  /** Bytes arrived: from the first time on, no more than `idleTimeoutMs` may pass between two reads. */
  touch(): void;
  stop(): void;
}

/** The clocks of one call. `expire` is called at most once per clock, with the sentence that says which one it was. */
export function startDeadlines(
  clock: Clock,
  limits: { timeoutMs: number; idleTimeoutMs: number; connectTimeoutMs: number },
  expire: (what: string) => void,
): Deadlines {
  const { timeoutMs, idleTimeoutMs, connectTimeoutMs } = limits;
  const stopWhole = clock.after(timeoutMs, () => expire(`no complete answer within ${timeoutMs} ms (timeoutMs)`));
  let stopIdle: (() => void) | undefined;
  let stopConnect: (() => void) | undefined;
  let lastRead = 0;

  /** One timer serves many reads: when it fires it goes on for what is left since the last one. */
  const watch = (ms: number): void => {
    stopIdle = clock.after(ms, () => {
      const quiet = clock.monotonic() - lastRead;
      if (quiet < idleTimeoutMs) watch(idleTimeoutMs - quiet);
      else expire(`nothing arrived for ${idleTimeoutMs} ms (idleTimeoutMs)`);
    });
  };

  return {
    connecting(socket) {
      if (!socket.connecting) return;
      stopConnect = clock.after(connectTimeoutMs, () => expire(`no connection within ${connectTimeoutMs} ms`));
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stopConnect);
    },
    touch() {
      lastRead = clock.monotonic();
      if (stopIdle === undefined) watch(idleTimeoutMs);
    },
    stop() {
      stopWhole();
      stopIdle?.();
      stopConnect?.();
    },
  };
}
