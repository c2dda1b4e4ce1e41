import type { Socket } from 'node:net';
import type { Clock } from '../base/clock.ts';
import { type Silence, startSilence } from '../base/silence.ts';

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
  let idle: Silence | undefined;
  let stopConnect: (() => void) | undefined;

  return {
    connecting(socket) {
      if (!socket.connecting) return;
      stopConnect = clock.after(connectTimeoutMs, () => expire(`no connection within ${connectTimeoutMs} ms`));
      socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stopConnect);
    },
    touch() {
      idle ??= startSilence(clock, idleTimeoutMs, () =>
        expire(`nothing arrived for ${idleTimeoutMs} ms (idleTimeoutMs)`),
      );
      idle.heard();
    },
    stop() {
      stopWhole();
      idle?.stop();
      stopConnect?.();
    },
  };
}
