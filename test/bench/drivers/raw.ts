import { resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/** The bare relay: what every ratio is to. */
export function rawDriver(outdir: string): Driver {
  const program = resolve(outdir, 'raw-relay.js');
  return {
    name: 'raw',
    forgets: true,
    program: ({ workspace, port, modelUrl }) => ({
      command: process.execPath,
      words: [program],
      environment: { PORT: String(port), MODEL_URL: modelUrl, WORKSPACE: workspace },
    }),
  };
}
