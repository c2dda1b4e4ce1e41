import { createSend } from '../../lib/client/connection.ts';
import { isApiError } from '../../lib/client/index.ts';
import { readStream } from '../../lib/client/read-stream.ts';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import { followBundles } from './follow-bundles.ts';
import type { HubPort, LinkState } from './hub-protocol.ts';
import { mergeDeltas } from './merge-deltas.ts';

/** Tabs of one token share one connection. */
export interface HubStream {
  add(port: HubPort): void;
  /** True when it was the last one: the stream is over then. */
  remove(port: HubPort): boolean;
  show(port: HubPort, sessionIds: readonly string[]): void;
  wake(): void;
  /** From now on this tab hears of saved bundles, over one more stream that all tabs share. */
  followBundles(port: HubPort): void;
}

const silenceMs = 40_000;
const flushMs = 16;
const waitsMs = [500, 1_000, 2_000, 5_000, 10_000];

/** Connects at once, and again until the last port is gone or the token is refused. */
export function createHubStream(base: string, token: string | undefined): HubStream {
  const send = createSend({ baseUrl: base, token });
  const shown = new Map<HubPort, ReadonlySet<string>>();
  const abort = new AbortController();
  let link: LinkState = { state: 'connecting' };
  let times = 0;
  let after: string | undefined;
  let queue: ServerEventEnvelope[] = [];
  let flushing: ReturnType<typeof setTimeout> | undefined;
  let wakeUp = (): void => undefined;
  let lastBytes = 0;
  let current: AbortController | undefined;
  const interested = new Set<HubPort>();
  let stopFollowing: (() => void) | undefined;

  const setLink = (next: LinkState): void => {
    link = next;
    for (const port of shown.keys()) port.postMessage({ t: 'link', link });
  };

  const flush = (): void => {
    flushing = undefined;
    const merged = mergeDeltas(queue);
    queue = [];
    for (const [port, ids] of shown) {
      const envelopes = merged.filter(({ event }) => event.type !== 'message.delta' || ids.has(event.sessionId));
      if (envelopes.length > 0) port.postMessage({ t: 'events', envelopes });
    }
  };

  const readOnce = async (): Promise<void> => {
    current = new AbortController();
    const signal = AbortSignal.any([abort.signal, current.signal]);
    const frames = readStream(send, {
      path: 'api/events',
      after,
      signal,
      silenceMs,
      onRetry: () => undefined,
      onOpen() {
        times += 1;
        setLink({ state: 'live' });
        for (const port of shown.keys()) port.postMessage({ t: 'opened', times });
      },
    });
    for await (const frame of frames) {
      after = frame.id ?? after;
      lastBytes = Date.now();
      queue.push(JSON.parse(frame.data) as ServerEventEnvelope);
      flushing ??= setTimeout(flush, flushMs);
    }
  };

  const run = async (): Promise<void> => {
    let failures = 0;
    let failedSince = 0;
    while (!abort.signal.aborted) {
      const before = times;
      try {
        await readOnce();
      } catch (error) {
        if (isApiError(error) && (error.status === 401 || error.status === 403))
          return void (abort.signal.aborted || setLink({ state: 'signed-out' }));
      }
      if (abort.signal.aborted) return;
      failures = times > before ? 0 : failures + 1;
      if (failures <= 1) failedSince = Date.now();
      const wait = (waitsMs[Math.min(failures, waitsMs.length - 1)] ?? 0) * (0.8 + Math.random() * 0.4);
      setLink({ state: 'waiting', retryAt: Date.now() + wait, failedSince });
      await new Promise<void>((resolve) => {
        wakeUp = resolve;
        setTimeout(resolve, wait);
      });
    }
  };
  void run();

  return {
    add(port) {
      shown.set(port, new Set());
      port.postMessage({ t: 'link', link });
      if (times > 0) port.postMessage({ t: 'opened', times: 1 });
    },
    remove(port) {
      shown.delete(port);
      interested.delete(port);
      if (interested.size === 0) {
        stopFollowing?.();
        stopFollowing = undefined;
      }
      if (shown.size > 0) return false;
      abort.abort();
      clearTimeout(flushing);
      return true;
    },
    followBundles(port) {
      interested.add(port);
      stopFollowing ??= followBundles(send, () => {
        for (const each of interested) each.postMessage({ t: 'bundles' });
      });
    },
    show: (port, sessionIds) => void shown.set(port, new Set(sessionIds)),
    wake() {
      if (link.state === 'waiting') wakeUp();
      // A connection that survived a sleep is often dead without knowing it: minutes without an event are worth a new one.
      else if (link.state === 'live' && lastBytes > 0 && Date.now() - lastBytes > 10 * silenceMs) current?.abort();
    },
  };
}
