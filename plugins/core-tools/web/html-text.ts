import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { RenderedPage } from './render-html.ts';

const timeoutMs = 8_000;

/**
 * The readable text of a page, made in a thread of its own: pages are hostile, and a deeply nested one takes for ever.
 * `directory` is the plugin's, in the build. Rejects when it takes over 8 seconds or the signal aborts.
 */
export function htmlToText(
  page: { html: string; url: string },
  { directory, signal }: { directory: string; signal: AbortSignal },
): Promise<RenderedPage> {
  const worker = new Worker(join(directory, 'web', 'html.worker.js'), {
    workerData: page,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  return new Promise<RenderedPage>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    const timer = setTimeout(() => reject(new Error('The page is too complicated to read.')), timeoutMs);
    worker.once('message', resolve);
    worker.once('exit', () => reject(new Error('The page could not be read.')));
    worker.on('error', () => reject(new Error('The page could not be read.')));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    worker.once('exit', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    });
  }).finally(() => worker.terminate());
}
