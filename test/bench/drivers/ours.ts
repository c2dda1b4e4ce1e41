import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Driver } from '../driver.ts';

/** The built service as `npm start` starts it, with its defaults: full durability, checkpoints, bundled plugins. `nodeFlags` are for profiles. */
export function ourDriver(
  name: string,
  { storage = 'file', nodeFlags = [] }: { storage?: 'file' | 'sqlite'; nodeFlags?: string[] } = {},
): Driver {
  const main = resolve('dist/host/main.js');
  const words = [...startFlags(), ...nodeFlags, main];
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
        words,
        environment: {
          SERVICE_PORT: String(port),
          SERVICE_LOG_LEVEL: 'warn',
          SERVICE_STORAGE_DRIVER: storage,
          ...(process.env.BENCH_CP && { SERVICE_CHECKPOINTS: process.env.BENCH_CP }),
        },
      };
    },
  };
}

/** What `npm start` hands to Node. */
function startFlags(): string[] {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { start: string } };
  const [, flags = ''] = /&& node (.*)dist\/host\/main\.js$/.exec(scripts.start) ?? [];
  return flags.split(' ').filter(Boolean);
}
