import { resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/** The relay on the prescribed libraries with a synced log: what is left of a ratio to it is this service's own. */
export function floorDriver(outdir: string): Driver {
  const program = resolve(outdir, 'floor-relay.js');
  return {
    name: 'floor',
    forgets: true,
    program: ({ workspace, port, modelUrl }) => ({
      command: process.execPath,
      words: [program],
      environment: { PORT: String(port), MODEL_URL: modelUrl, WORKSPACE: workspace },
    }),
  };
}
