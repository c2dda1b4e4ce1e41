import { type Frame, openFrame } from './frame.ts';
import { createHeightGuard } from './guards.ts';
import type { FrameRequest, Init, ToFrame } from './protocol.ts';

/** One extension in its place, through as many frames as it takes. */
export interface Mounted {
  readonly pluginId: string;
  readonly slot: string;
  readonly alive: boolean;
  /** For the watchdog: when it was last heard, and how to ask. */
  readonly heardAt: number;
  /** When it was opened or last got the pointer. */
  touchedAt: number;
  /** In view, or near it. */
  near: boolean;
  owns(element: Element): boolean;
  open(): void;
  /** Takes the frame away and keeps its place. */
  suspend(): void;
  /** Takes the frame away and says why. */
  fail(message: string): void;
  post(message: ToFrame): void;
  ping(): void;
  close(): void;
}

export interface MountOptions {
  pluginId: string;
  title: string;
  slot: string;
  into: HTMLElement;
  url: string;
  init(): Init;
  /** A height that it had before, so that nothing jumps. */
  height: number | undefined;
  onHeight(height: number): void;
  onRequest(request: FrameRequest, post: (message: ToFrame) => void): void;
  onSubmit(text: string): void;
  onFail(message: string): void;
  onBreach(reason: string): void;
}

export function createMounted(options: MountOptions): Mounted {
  const { into, slot } = options;
  const fixed = slot === 'file.viewer';
  let frame: Frame | undefined;
  let heardAt = 0;
  let pings = 0;
  let height = options.height ?? 0;
  if (!fixed) into.style.height = `${height}px`;

  const setHeight = (next: number): void => {
    height = next;
    into.style.height = `${next}px`;
    options.onHeight(next);
  };
  const take = (message: string): void => {
    frame?.remove();
    frame = undefined;
    into.style.height = '';
    into.replaceChildren(
      Object.assign(document.createElement('p'), { className: 'plugin-note', textContent: message }),
    );
  };

  const self: Mounted = {
    pluginId: options.pluginId,
    slot,
    get alive() {
      return frame !== undefined;
    },
    get heardAt() {
      return heardAt;
    },
    touchedAt: 0,
    near: false,
    owns: (element) => frame?.element === element,
    open() {
      if (frame) return;
      into.replaceChildren();
      heardAt = performance.now();
      self.touchedAt = heardAt;
      const guard = createHeightGuard(() => performance.now());
      let pending: number | undefined;
      const mine = openFrame({
        url: options.url,
        title: options.title,
        init: options.init(),
        into,
        onBreach(reason) {
          take(`${options.title} was stopped: ${reason}.`);
          options.onBreach(reason);
        },
        onMessage(message) {
          heardAt = performance.now();
          if (message.t === 'size' && !fixed) {
            const next = guard(message.height);
            if (next === undefined) return;
            if (pending === undefined) requestAnimationFrame(() => apply());
            pending = next;
          } else if (message.t === 'req') options.onRequest(message, (answer) => mine.post(answer));
          else if (message.t === 'submit') options.onSubmit(message.text);
          else if (message.t === 'fail') {
            if (message.stage !== 'run') take(`${options.title} could not be shown: ${message.message}`);
            options.onFail(message.message);
          }
        },
      });
      const apply = (): void => {
        if (pending !== undefined && frame === mine) setHeight(pending);
        pending = undefined;
      };
      frame = mine;
      mine.element.addEventListener('pointerenter', () => {
        self.touchedAt = performance.now();
      });
    },
    suspend() {
      frame?.remove();
      frame = undefined;
    },
    fail: take,
    post: (message) => frame?.post(message),
    ping: () => frame?.post({ t: 'ping', n: ++pings }),
    close() {
      frame?.dispose();
      frame = undefined;
    },
  };
  return self;
}
