import { resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/**
 * The relay. `raw` is the bare one, what every ratio is to; `floor` has what no server of the contract may leave out: what is
 * left of a ratio beyond it is this service's own.
 */
export function relayDriver(name: 'raw' | 'floor', outdir: string): Driver {
  const program = resolve(outdir, `${name}-relay.js`);
  return {
    name,
    forgets: true,
    program: ({ workspace, port, modelUrl }) => ({
      command: process.execPath,
      words: [program],
      environment: { PORT: String(port), MODEL_URL: modelUrl, WORKSPACE: workspace },
    }),
  };
}
