import { createHub } from './hub.ts';
import type { FromHub, HubEnvelope, LinkState, ToHub } from './hub-protocol.ts';

export interface LinkListener {
  onLink(link: LinkState): void;
  /** The stream stands; `again` when it had stood before. */
  onOpened(again: boolean): void;
  onEvents(envelopes: readonly HubEnvelope[]): void;
  /** A plugin's bundle was saved. */
  onBundles(): void;
}

/** This tab's line to the hub. */
export interface Link {
  /** Begins, or begins again with another token. */
  start(token: string | undefined): void;
  show(sessionIds: readonly string[]): void;
  wake(): void;
  /** Asks to hear of saved bundles. */
  followBundles(): void;
  stop(): void;
}

const hiddenMs = 60_000;

/** Connects to the shared worker, or, where there is none, to a hub in this page (which rests while the page is hidden). */
export function createLink(base: string, worker: () => SharedWorker | undefined, listener: LinkListener): Link {
  const shared = worker();
  const port = shared?.port ?? localHub();
  const post = (message: ToHub): void => port.postMessage(message);
  let token: string | undefined;
  let on = false;
  let shown: string[] = [];
  let times = 0;
  let bundles = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  const greet = (): void => {
    post({ t: 'hello', base, token });
    post({ t: 'show', sessionIds: shown });
    if (bundles) post({ t: 'follow-bundles' });
  };
  port.onmessage = ({ data }: MessageEvent<FromHub>) => {
    if (data.t === 'link') listener.onLink(data.link);
    else if (data.t === 'events') listener.onEvents(data.envelopes);
    else if (data.t === 'bundles') listener.onBundles();
    else listener.onOpened(times++ > 0);
  };
  port.start();

  addEventListener('online', () => post({ t: 'wake' }));
  addEventListener('pagehide', () => post({ t: 'bye' }));
  addEventListener('pageshow', (event) => {
    if (event.persisted && on) greet();
  });
  document.addEventListener('visibilitychange', () => {
    clearTimeout(resting);
    if (document.visibilityState === 'visible') {
      if (resting !== undefined && on) greet();
      resting = undefined;
      post({ t: 'wake' });
    } else if (!shared) resting = setTimeout(() => post({ t: 'bye' }), hiddenMs);
  });

  return {
    start(next) {
      token = next;
      on = true;
      greet();
    },
    show(sessionIds) {
      shown = [...sessionIds];
      if (on) post({ t: 'show', sessionIds: shown });
    },
    wake: () => post({ t: 'wake' }),
    followBundles() {
      if (!bundles && on) post({ t: 'follow-bundles' });
      bundles = true;
    },
    stop() {
      on = false;
      post({ t: 'bye' });
    },
  };
}

function localHub(): MessagePort {
  const { port1, port2 } = new MessageChannel();
  createHub().connect(port2);
  return port1;
}
