const intentMs = 300;
const typingMs = 1_000;

/**
 * Gives the keyboard back when a frame takes it by itself: without a Tab, or a click while the pointer is over it. Somebody who is typing
 * would otherwise type into the bundle. `isFrame` knows ours; `onTheft` hears of each.
 */
export function guardFocus(isFrame: (element: Element) => boolean, onTheft: (frame: Element) => void): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
  let tabAt = Number.NEGATIVE_INFINITY;
  let keyAt = Number.NEGATIVE_INFINITY;
  let over: EventTarget | null = null;
  let last: HTMLElement | undefined;

  addEventListener(
    'keydown',
    ({ key }) => {
      if (key === 'Tab') tabAt = performance.now();
      else keyAt = performance.now();
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
      if (target instanceof HTMLElement && !isFrame(target)) last = target;
    },
    options,
  );
  addEventListener(
    'blur',
    ({ target }) => {
      if (target !== window) return;
      const frame = document.activeElement;
      if (!frame || !isFrame(frame)) return;
      const now = performance.now();
      const tabbed = now - tabAt < intentMs;
      const pointed = over === frame || matchMedia('(hover: none)').matches;
      const clicked = pointed && navigator.userActivation.isActive && now - keyAt > typingMs;
      if (tabbed || clicked) return;
      window.focus();
      if (last?.isConnected) last.focus({ preventScroll: true });
      else if (frame instanceof HTMLElement) frame.blur();
      onTheft(frame);
    },
    options,
  );
  return () => abort.abort();
}
