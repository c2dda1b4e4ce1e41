import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/** The built service with its defaults: full durability, checkpoints, bundled plugins. `nodeFlags` are for profiles. */
export function ourDriver(
  name: string,
  { storage = 'file', nodeFlags = [] }: { storage?: 'file' | 'sqlite'; nodeFlags?: string[] } = {},
): Driver {
  const main = resolve('dist/host/main.js');
  return {
    name,
    program({ directory, workspace, port, modelUrl }) {
      const settings = {
        agent: { workspace },
        plugins: { config: { 'chat-completions': { baseUrl: modelUrl, apiKey: 'bench', models: ['bench'] } } },
      };
      writeFileSync(join(directory, 'service.config.json'), JSON.stringify(settings));
      return {
        command: process.execPath,
        words: [...nodeFlags, main],
        environment: {
          SERVICE_PORT: String(port),
          SERVICE_LOG_LEVEL: 'warn',
          SERVICE_STORAGE_DRIVER: storage,
        },
      };
    },
  };
}
