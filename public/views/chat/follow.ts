import { createPlace, keepsPlace } from './hold-place.ts';

const nearPx = 64;

/** Keeps the end in view as long as the reader wants it: a scroll by hand away from the end lets go. */
export interface Follower {
  toEnd(): void;
  /** Stays where it is: something else than the end is to be looked at. */
  letGo(): void;
  stop(): void;
}

/** Goes to the end at once. `onChange` is told when the reader lets go of it, and comes back. */
export function followEnd(
  scroller: HTMLElement,
  content: HTMLElement,
  onChange: (state: { pinned: boolean }) => void,
): Follower {
  let pinned = true;
  let touchedAt = Number.NEGATIVE_INFINITY;
  const place = keepsPlace() ? undefined : createPlace(scroller, content);
  const distance = (): number => scroller.scrollHeight - scroller.clientHeight - scroller.scrollTop;
  const set = (next: boolean): void => {
    if (next === pinned) return;
    pinned = next;
    place?.forget();
    scroller.classList.toggle('detached', !pinned);
    onChange({ pinned });
  };
  const touched = (): void => {
    touchedAt = performance.now();
  };
  const wheel = (event: WheelEvent): void => {
    touched();
    if (event.deltaY < 0 && scroller.scrollTop > 0) set(false);
  };
  const scrolled = (): void => {
    if (!pinned) place?.hold();
    const end = distance() <= nearPx;
    if (end && (pinned || performance.now() - touchedAt < 1_000)) set(distance() <= 2 || pinned);
    else if (!end && performance.now() - touchedAt < 1_000) set(false);
  };
  const resized = new ResizeObserver(() => {
    if (pinned) scroller.scrollTop = scroller.scrollHeight;
    else place?.hold();
  });
  resized.observe(content);
  resized.observe(scroller);
  const inputs = ['touchmove', 'pointerdown', 'keydown'] as const;
  for (const input of inputs) scroller.addEventListener(input, touched, { passive: true });
  scroller.addEventListener('wheel', wheel, { passive: true });
  scroller.addEventListener('scroll', scrolled, { passive: true });
  scroller.scrollTop = scroller.scrollHeight;
  return {
    toEnd() {
      set(true);
      scroller.scrollTop = scroller.scrollHeight;
    },
    letGo() {
      set(false);
      place?.forget();
    },
    stop() {
      resized.disconnect();
      for (const input of inputs) scroller.removeEventListener(input, touched);
      scroller.removeEventListener('wheel', wheel);
      scroller.removeEventListener('scroll', scrolled);
    },
  };
}
