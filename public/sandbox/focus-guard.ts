import type { Mounted } from './mounted.ts';

const intentMs = 300;
const confirmMs = 1_000;
/** For the frame's word that it has the keyboard. */
const identifyMs = 40;

/**
 * Gives the keyboard back when a frame takes it by itself: somebody who is typing would otherwise type into the bundle. It may keep
 * it after a Tab, or when the pointer was pressed inside; if only the place of the pointer speaks for that, it waits for the
 * frame's own word without the keyboard. `onTheft` hears of the others.
 */
export function guardFocus(frames: () => readonly Mounted[], onTheft: (thief: Mounted) => void): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  const ownerOf = (target: EventTarget | null) =>
    target instanceof Element ? frames().find((mounted) => mounted.owns(target)) : undefined;
  let tabAt = Number.NEGATIVE_INFINITY;
  let over: EventTarget | null = null;
  let last: HTMLElement | undefined;

  addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'Tab') tabAt = performance.now();
    },
    options,
  );
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
      if (target instanceof HTMLElement && !ownerOf(target)) last = target;
    },
    options,
  );
  addEventListener(
    'blur',
    ({ target }) => {
      // While the page has the keyboard but its window has not, a frame has it. The active element tells which only sometimes.
      if (target !== window || !document.hasFocus() || frames().length === 0) return;
      const now = performance.now();
      const pressed = frames().some(({ pointerAt }) => now - pointerAt < intentMs);
      if (pressed || now - tabAt < intentMs) return;
      // Not now: the browser is still giving it to the frame, and would be last.
      setTimeout(() => takeBack(last));
      const pointed = matchMedia('(hover: none)').matches ? ownerOf(document.activeElement) : ownerOf(over);
      const clicked = navigator.userActivation.isActive ? pointed : undefined;
      clicked?.onNextPointer((frame) => {
        if (performance.now() - now < confirmMs) frame.focus({ preventScroll: true });
      });
      setTimeout(
        () => {
          const thief = frames().find(({ focusAt }) => focusAt > now - intentMs);
          if (thief && thief.pointerAt < now - intentMs) onTheft(thief);
        },
        clicked ? confirmMs : identifyMs,
      );
    },
    options,
  );
  return () => abort.abort();
}

/** Focus on what has it already, as far as the page knows, would do nothing: hence first away. */
function takeBack(last: HTMLElement | undefined): void {
  window.focus();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  if (last?.isConnected) last.focus({ preventScroll: true });
}
