import type { Page } from 'playwright-core';
import { holds } from './console-bench.ts';

/** Resolves when the browser has stored what waits to be sent; the list shows it a moment earlier. */
export function queueIsKept(page: Page): Promise<void> {
  return holds(
    page,
    `(async () => {
      if (!(await indexedDB.databases()).some(({ name }) => name === 'service')) return false;
      return new Promise((resolve) => {
        const opening = indexedDB.open('service');
        opening.onerror = () => resolve(false);
        opening.onsuccess = () => {
          const counting = opening.result.transaction('queue').objectStore('queue').count();
          counting.onerror = () => resolve(false);
          counting.onsuccess = () => {
            opening.result.close();
            resolve(counting.result > 0);
          };
        };
      });
    })()`,
  );
}
