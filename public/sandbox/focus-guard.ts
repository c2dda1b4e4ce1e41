import type { Mounted } from './mounted.ts';

const intentMs = 300;
const confirmMs = 1_000;

/**
 * Gives the keyboard back when a frame takes it by itself: somebody who is typing would otherwise type into the bundle. It may keep
 * it after a Tab, or when a person pressed something inside; if only the place of the pointer speaks for that, it waits for the
 * frame's own word without the keyboard. `onTheft` hears of the others.
 */
export function guardFocus(
  find: (element: Element) => Mounted | undefined,
  onTheft: (thief: Mounted) => void,
): () => void {
  const abort = new AbortController();
  const options = { capture: true, signal: abort.signal };
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
      if (target instanceof HTMLElement && !find(target)) last = target;
    },
    options,
  );
  addEventListener(
    'blur',
    ({ target }) => {
      if (target !== window) return;
      const frame = document.activeElement;
      const mounted = frame ? find(frame) : undefined;
      if (!(frame instanceof HTMLElement) || !mounted) return;
      const now = performance.now();
      if (now - tabAt < intentMs || now - mounted.inputAt < intentMs) return;
      window.focus();
      if (last?.isConnected) last.focus({ preventScroll: true });
      else frame.blur();
      const pointed = over === frame || matchMedia('(hover: none)').matches;
      if (!pointed || !navigator.userActivation.isActive) return onTheft(mounted);
      setTimeout(() => {
        if (mounted.inputAt < now - intentMs) onTheft(mounted);
      }, confirmMs);
      mounted.onNextInput(() => {
        if (performance.now() - now < confirmMs && frame.isConnected) frame.focus({ preventScroll: true });
      });
    },
    options,
  );
  return () => abort.abort();
}
