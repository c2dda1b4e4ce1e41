/** Tells when an element comes near the visible part, once. One observer for all of them. */
export interface NearObserver {
  watch(element: Element, onNear: () => void): () => void;
}

/** `margin` is how far from the visible part counts as near, as CSS says it. */
export function createNearObserver(margin = '800px'): NearObserver {
  const waiting = new WeakMap<Element, () => void>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        if (!isIntersecting) continue;
        observer.unobserve(target);
        waiting.get(target)?.();
      }
    },
    // `rootMargin` alone ends at the edge of the box that scrolls; browsers that do not know the other draw a little later.
    { rootMargin: margin, scrollMargin: margin } as IntersectionObserverInit,
  );
  return {
    watch(element, onNear) {
      waiting.set(element, onNear);
      observer.observe(element);
      return () => observer.unobserve(element);
    },
  };
}
