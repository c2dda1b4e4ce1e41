import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { openProgram } from '../../host/compiled-program.ts';

// A server that answers and does nothing else, started with a part of what a start of the service takes; each has what
// those before it have. Environment: PORT, PART, and DIST, the absolute path of the built service's folder.

const { PORT = '0', PART = '', DIST = '' } = process.env;
const require = createRequire(import.meta.url);

/** What the service has loaded of Node when it is healthy. Loaded one by one, as there. */
const nodeModules = [
  'async_hooks',
  'child_process',
  'crypto',
  'dns/promises',
  'fs/promises',
  'https',
  'os',
  'perf_hooks',
  'stream/promises',
  'stream/web',
  'string_decoder',
  'timers/promises',
  'util',
  'v8',
  'worker_threads',
  'zlib',
];

const parts: Record<string, () => void> = {
  fetch: () => void new Response(new Headers(new Request('http://127.0.0.1').headers).get('accept')),
  node: () => {
    for (const name of nodeModules) require(`node:${name}`);
  },
  code: () => openProgram(`${DIST}/host/program.cjs`, `${DIST}/host/program.code`),
};

for (const [name, load] of Object.entries(parts)) {
  load();
  if (name === PART) break;
}
createServer((_request, response) => response.end('{}')).listen(Number(PORT), '127.0.0.1');
