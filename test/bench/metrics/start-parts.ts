import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metric } from '../metric.ts';
import { median } from '../stats.ts';
import { createTarget } from '../target.ts';

const parts = ['fetch', 'node', 'code'] as const;

/**
 * What bounds a start: servers that do nothing, with the fetch classes, then with the other parts of Node that the service
 * needs, then with its compiled code taken in and not run. What a start takes beyond the last is the service's own work.
 */
export const startParts: Metric = {
  rows: [
    { id: 'startFetch', label: 'start: raw and the fetch classes', unit: 'ms' },
    { id: 'startNode', label: 'start: and other parts of Node', unit: 'ms' },
    { id: 'startCode', label: 'start: and the compiled code, not run', unit: 'ms' },
  ].map((row) => ({ ...row, good: 'low', yardstick: { row: 'healthy' } })),
  targets: ['ours'],
  async measure({ directory, scale }) {
    const times: Record<string, number[]> = { fetch: [], node: [], code: [] };
    for (let at = 0; at < scale.pick(5, 2); at++)
      for (const part of parts) {
        const running = await serverWith(part).start(join(directory, `${part}-${at}`));
        times[part]?.push(running.startMs);
        await running.stop();
      }
    const [startFetch = 0, startNode = 0, startCode = 0] = parts.map((part) => median(times[part] ?? []));
    return { startFetch, startNode, startCode };
  },
};

function serverWith(part: string) {
  const words = [fileURLToPath(new URL('./start-part.js', import.meta.url))];
  return createTarget(
    {
      name: part,
      program: ({ port }) => ({
        command: process.execPath,
        words,
        environment: { PORT: String(port), PART: part, DIST: resolve('dist') },
      }),
    },
    { modelUrl: '', outdir: '' },
  );
}
