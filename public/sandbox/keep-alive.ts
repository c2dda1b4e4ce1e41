import type { Mounted } from './mounted.ts';

const maxAlive = 12;
const margin = '800px';

/** Opens frames when they come near the visible part, and suspends the least recent beyond twelve; their places keep their height. */
export function keepAlive(mounts: ReadonlySet<Mounted>): {
  watch(element: Element, mounted: Mounted): () => void;
  stop(): void;
} {
  const watched = new Map<Element, Mounted>();
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { isIntersecting, target } of entries) {
        const mounted = watched.get(target);
        if (!mounted) continue;
        mounted.near = isIntersecting;
        if (isIntersecting) {
          mounted.open();
          mounted.touchedAt = performance.now();
        }
      }
      const alive = [...mounts].filter(({ slot, alive }) => slot === 'message.after' && alive);
      const oldest = alive.sort((a, b) => Number(a.near) - Number(b.near) || a.touchedAt - b.touchedAt);
      for (const mounted of oldest.slice(0, Math.max(0, alive.length - maxAlive))) mounted.suspend();
    },
    { rootMargin: margin },
  );
  return {
    watch(element, mounted) {
      watched.set(element, mounted);
      observer.observe(element);
      return () => {
        watched.delete(element);
        observer.unobserve(element);
      };
    },
    stop: () => observer.disconnect(),
  };
}
