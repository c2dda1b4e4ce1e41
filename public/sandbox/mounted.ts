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
  /** Its document runs: until then silence is the connection's, or that of others. */
  readonly begun: boolean;
  /** True once it said that it is mounted, or why not: what it does from here on is not the start any more. */
  readonly settled: boolean;
  /** When a person last pressed something inside, in its own words. */
  readonly inputAt: number;
  /** When the pointer was last pressed inside: unlike a key it is where a person wants to be. */
  readonly pointerAt: number;
  /** When it last got the keyboard, in its own words. */
  readonly focusAt: number;
  /** When it was opened, came into view, or last got the pointer. */
  touchedAt: number;
  /** In view, or near it. */
  near: boolean;
  /** It should have a frame now, as far as its place goes. */
  readonly wanted: boolean;
  owns(element: Element): boolean;
  open(): void;
  /** Takes the frame away and keeps its place. */
  suspend(): void;
  /** Takes the frame away and says why. */
  fail(message: string): void;
  post(message: ToFrame): void;
  ping(): void;
  /** Calls `fn` when the pointer is pressed inside next; the last one asked counts. */
  onNextPointer(fn: (frame: HTMLElement) => void): void;
  close(): void;
}

export interface MountOptions {
  pluginId: string;
  title: string;
  slot: string;
  into: HTMLElement;
  url: string;
  init(): Init;
  /** False while no frame may be opened; it is opened later then. */
  mayOpen(): boolean;
  /** A height that it had before, so that nothing jumps. */
  height: number | undefined;
  onHeight(height: number): void;
  /** It has the keyboard, for the `turn`th time. */
  onFocus(turn: number): void;
  onRequest(request: FrameRequest, post: (message: ToFrame) => void): void;
  onSubmit(text: string): void;
  onFail(message: string, stage: string): void;
  onBreach(reason: string): void;
}

/** Takes its place in the page; the frame comes with `open`. */
export function createMounted(options: MountOptions): Mounted {
  const { into, slot } = options;
  const fixed = slot === 'file.viewer';
  let frame: Frame | undefined;
  let heardAt = 0;
  let begun = false;
  let settled = false;
  let inputAt = Number.NEGATIVE_INFINITY;
  let pointerAt = Number.NEGATIVE_INFINITY;
  let focusAt = Number.NEGATIVE_INFINITY;
  let nextPointer: (frame: HTMLElement) => void = () => undefined;
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
    get begun() {
      return begun;
    },
    get settled() {
      return settled;
    },
    get inputAt() {
      return inputAt;
    },
    get pointerAt() {
      return pointerAt;
    },
    get focusAt() {
      return focusAt;
    },
    touchedAt: 0,
    near: false,
    get wanted() {
      return slot !== 'message.after' || self.near;
    },
    owns: (element) => frame?.element === element,
    open() {
      if (frame || !options.mayOpen()) return;
      into.replaceChildren();
      heardAt = performance.now();
      self.touchedAt = heardAt;
      begun = false;
      settled = false;
      const guard = createHeightGuard(() => performance.now());
      let pending: number | undefined;
      const apply = (): void => {
        if (pending === undefined || frame !== mine) return;
        // A place that had a height before keeps it until there is something new to see.
        if (!settled && pending < height) return;
        setHeight(pending);
        pending = undefined;
      };
      const mine = openFrame({
        url: options.url,
        title: options.title,
        init: options.init(),
        into,
        onGreet() {
          begun = true;
          heardAt = performance.now();
        },
        onBreach(reason) {
          take(`${options.title} was stopped: ${reason}.`);
          options.onBreach(reason);
        },
        onMessage(message) {
          heardAt = performance.now();
          if (message.t === 'size' && !fixed) {
            const next = guard(message.height);
            if (next === undefined) return;
            pending = next;
            requestAnimationFrame(apply);
          } else if (message.t === 'mounted') {
            settled = true;
            requestAnimationFrame(apply);
          } else if (message.t === 'focus') {
            focusAt = heardAt;
            options.onFocus(message.turn);
          } else if (message.t === 'input') {
            inputAt = heardAt;
            self.touchedAt = heardAt;
            if (!message.pointer) return;
            pointerAt = heardAt;
            nextPointer(mine.element);
            nextPointer = () => undefined;
          } else if (message.t === 'req') options.onRequest(message, (answer) => mine.post(answer));
          else if (message.t === 'submit') options.onSubmit(message.text);
          else if (message.t === 'fail') {
            settled = true;
            if (message.stage !== 'run') take(`${options.title} could not be shown: ${message.message}`);
            options.onFail(message.message, message.stage);
          }
        },
      });
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
    onNextPointer(fn) {
      nextPointer = fn;
    },
    close() {
      frame?.dispose();
      frame = undefined;
    },
  };
  return self;
}
