import type { Mounted } from './mounted.ts';

export interface FocusGuard {
  /** A frame says that it has the keyboard. It hears nothing of it until it is told that a person came in. */
  answer(mounted: Mounted, turn: number): void;
  stop(): void;
}

const intentMs = 300;
/** From the Tab key to the frame it leads to, which may be in another process. */
const tabMs = 1_000;
const confirmMs = 1_000;
/** For the frame's word that it has the keyboard. */
const identifyMs = 40;
/** The browser forgets a frame that is gone in its own time. */
const returnMs = [0, 50, 200, 500];

/**
 * Gives the keyboard back when a frame takes it by itself. It may keep it after a Tab, or when the pointer was pressed inside; if
 * only the place of the pointer speaks for that, it waits for the frame's own word without the keyboard. What is typed meanwhile
 * is lost, but not read (see `lockKeyboard`). `onTheft` hears of the others.
 */
export function guardFocus(frames: () => readonly Mounted[], onTheft: (thief: Mounted) => void): FocusGuard {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  const ownerOf = (target: EventTarget | null) =>
    target instanceof Element ? frames().find((mounted) => mounted.owns(target)) : undefined;
  let tab: KeyboardEvent | undefined;
  let tabAt = Number.NEGATIVE_INFINITY;
  /** The Tab key has led into a frame, which has not said yet that it is the one. */
  let isEntering = false;
  let over: EventTarget | null = null;
  let last = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
  /** The frame that a person is in, and when they were last seen outside of frames. */
  let host: Mounted | undefined;
  let outsideAt = performance.now();

  const outside = (): void => {
    host = undefined;
    isEntering = false;
    outsideAt = performance.now();
  };
  const isPressed = (): boolean => frames().some(({ pointerAt }) => performance.now() - pointerAt < intentMs);
  const isTabbed = (): boolean => tab?.defaultPrevented === false && performance.now() - tabAt < tabMs;
  const isStolen = (): boolean =>
    document.hasFocus() && document.querySelector('iframe') !== null && !isPressed() && !isTabbed();
  const takeBack = (): void => {
    if (isStolen()) giveTo(last);
  };

  addEventListener(
    'keydown',
    (event) => {
      outside();
      tab = event.key === 'Tab' ? event : undefined;
      tabAt = performance.now();
    },
    options,
  );
  addEventListener('pointerdown', outside, options);
  addEventListener(
    'pointerover',
    ({ target }) => {
      over = target;
    },
    options,
  );
  addEventListener(
    'focusin',
    ({ target }) => {
      if (!(target instanceof HTMLElement) || target instanceof HTMLIFrameElement) return;
      last = target;
      // The Tab key has led somewhere else.
      tab = undefined;
    },
    options,
  );
  addEventListener('focus', ({ target }) => target === window && outside(), options);
  /** While the page has the keyboard but its window has not, a frame has it, since `now`. */
  const findThief = (now: number): void => {
    if (!isStolen()) return;
    // Which one, the active element tells only sometimes, and the frame itself only when the keyboard is not in a frame inside of it.
    const named = ownerOf(document.activeElement);
    // Not now: the browser is still giving it to the frame, and would be last.
    setTimeout(takeBack);
    const pointed = matchMedia('(hover: none)').matches ? ownerOf(document.activeElement) : ownerOf(over);
    const clicked = navigator.userActivation.isActive ? pointed : undefined;
    clicked?.onNextPointer((frame) => {
      if (performance.now() - now < confirmMs) frame.focus({ preventScroll: true });
    });
    setTimeout(
      () => {
        const thief = frames().find(({ focusAt }) => focusAt > now - intentMs) ?? named;
        if (!thief || thief.pointerAt > now - intentMs) return;
        onTheft(thief);
        // When its frame was taken away with the keyboard in it, nothing has it.
        for (const ms of returnMs) setTimeout(() => !isHere() && !isPressed() && giveTo(last), ms);
      },
      clicked ? confirmMs : identifyMs,
    );
  };
  addEventListener(
    'blur',
    ({ target }) => {
      if (target !== window) return;
      isEntering = isTabbed();
      const now = performance.now();
      // Firefox says a moment later that the page still has it.
      if (document.hasFocus()) findThief(now);
      else setTimeout(findThief, identifyMs, now);
    },
    options,
  );
  return {
    answer(mounted, turn) {
      const led = host !== undefined && performance.now() - host.inputAt < intentMs;
      if (host !== mounted && mounted.pointerAt < outsideAt && !isTabbed() && !isEntering && !led) return;
      isEntering = false;
      host = mounted;
      mounted.post({ t: 'keyboard', turn });
    },
    stop: () => abort.abort(),
  };
}

/** Something of the page itself has the keyboard. */
function isHere(): boolean {
  const { activeElement } = document;
  return activeElement !== document.body && !(activeElement instanceof HTMLIFrameElement);
}

/** Focus on what has it already, as far as the page knows, would do nothing: hence first away. */
function giveTo(last: HTMLElement | undefined): void {
  window.focus();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  if (last?.isConnected) last.focus({ preventScroll: true });
}
