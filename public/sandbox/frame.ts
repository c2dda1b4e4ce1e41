import { createRateGuard } from './guards.ts';
import { parseFrameMessage } from './parse-frame-message.ts';
import type { FromFrame, Init, ToFrame } from './protocol.ts';

/** A frame of a bundle that stands in the page. */
export interface Frame {
  readonly element: HTMLIFrameElement;
  post(message: ToFrame): void;
  /** Takes it away, without asking. */
  remove(): void;
  /** Asks the bundle to clean up, waits for a moment and takes it away. Whatever else it says meanwhile is not heard. */
  dispose(): void;
}

export interface FrameOptions {
  url: string;
  title: string;
  init: Init;
  into: Element;
  /** It was told what to do: from here on it is the bundle's time. */
  onGreet?(): void;
  onMessage(message: FromFrame): void;
  /** The frame did what no bundle has a reason for: it is gone already. */
  onBreach(reason: string): void;
}

const maxPerSecond = 300;
const disposeMs = 500;

/**
 * Opens a frame and greets it once. What it says counts only on the private port; a second word to the window, a second load (it
 * tried to go somewhere) or a flood ends it.
 */
export function openFrame({ url, title, init, into, onGreet, onMessage, onBreach }: FrameOptions): Frame {
  const element = document.createElement('iframe');
  const inRate = createRateGuard(maxPerSecond, 1_000, () => performance.now());
  let port: MessagePort | undefined;
  let loads = 0;
  let gone = false;
  let leaving = false;

  const remove = (): void => {
    if (gone) return;
    gone = true;
    removeEventListener('message', onWindowMessage);
    port?.close();
    element.remove();
  };
  const breach = (reason: string): void => {
    if (gone) return;
    remove();
    onBreach(reason);
  };
  const onWindowMessage = ({ source, data }: MessageEvent): void => {
    if (source === null || source !== element.contentWindow) return;
    if (port) breach('it spoke past its own line to the console');
    else if (data?.t === 'hello' && data.v === 1) greet();
  };
  const greet = (): void => {
    const channel = new MessageChannel();
    port = channel.port1;
    port.onmessage = (event) => {
      if (gone) return;
      if (!inRate()) return breach('it sent more than 300 messages in a second');
      const message = parseFrameMessage(event.data);
      if (message?.t === 'violation' && message.kind === 'frame-src') breach('it tried to open another page');
      else if (message?.t === 'violation' && message.kind === 'navigation') breach('it meddled with the history');
      else if (message?.t === 'disposed') remove();
      else if (message && !leaving) onMessage(message);
    };
    // No other target can be named: a sandboxed frame has no origin. The console's frame-src pins who it is.
    element.contentWindow?.postMessage(init, '*', [channel.port2]);
    onGreet?.();
  };

  element.sandbox.add('allow-scripts');
  element.allow = '';
  element.referrerPolicy = 'no-referrer';
  element.title = title;
  element.src = url;
  element.addEventListener('load', () => {
    if (++loads > 1) breach('it tried to go to another page');
  });
  addEventListener('message', onWindowMessage);
  into.append(element);

  return {
    element,
    post(message) {
      if (!gone) port?.postMessage(message);
    },
    remove,
    dispose() {
      if (!port) return remove();
      leaving = true;
      port.postMessage({ t: 'dispose' } satisfies ToFrame);
      setTimeout(remove, disposeMs);
    },
  };
}
