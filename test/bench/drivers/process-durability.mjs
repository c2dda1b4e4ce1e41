// An example of a driver file: this service with other settings, beside its defaults.
// npm run bench -- --driver=test/bench/drivers/process-durability.mjs
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** @type {import('../driver.ts').Driver} */
export default {
  name: 'no-sync',
  program({ directory, workspace, port, modelUrl }) {
    const settings = {
      server: { port },
      agent: { workspace },
      storage: { durability: 'process' },
      checkpoints: { enabled: false },
      plugins: { config: { 'chat-completions': { baseUrl: modelUrl, apiKey: 'any', models: ['bench'] } } },
    };
    writeFileSync(join(directory, 'service.config.json'), JSON.stringify(settings));
    return {
      command: process.execPath,
      words: [resolve('dist/host/main.js')],
      environment: { SERVICE_LOG_LEVEL: 'warn' },
    };
  },
};
