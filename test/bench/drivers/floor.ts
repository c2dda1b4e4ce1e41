import { resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/** The relay with what no server of the contract may leave out: what is left of a ratio beyond it is this service's own. */
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
