import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginInfo } from '../../lib/wire/plugin.ts';
import { within } from '../helpers/within.ts';
import { pluginFolders } from './plugin-folders.ts';

const later = suite('A plugin that throws later is found out and does not end the service');

/** Runs a program against real sources in a process of its own, because an uncaught error would end this one. */
async function run(program: string): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'attribution-'));
  try {
    const source = join(directory, 'program.ts');
    const out = join(directory, 'program.mjs');
    writeFileSync(source, program);
    await build({
      entryPoints: [source],
      outfile: out,
      bundle: true,
      platform: 'node',
      format: 'esm',
      alias: { '#': process.cwd() },
      nodePaths: [join(process.cwd(), 'node_modules')],
      banner: { js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire('/');" },
      logLevel: 'error',
    });
    const { stdout, stderr } = spawnSync(process.execPath, [out], { encoding: 'utf8', timeout: 20_000 });
    return stdout + stderr;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const program = (bundled: boolean): string => `
import { createToolRegistry } from '#/lib/tools/registry.ts';
import { pluginFolders } from '#/test/plugins/plugin-folders.ts';
const folders = pluginFolders();
const code = \`import net from 'node:net'; export default { apply({ use }) {
  setTimeout(() => { throw new Error('from a timer'); }, 5);
  setTimeout(async () => { await null; throw new Error('from a promise'); }, 15);
  use('host').later();
  use('tools').register({ name: 'dial', description: '', parameters: {}, execute() { net.connect(2, '127.0.0.1'); return this.name; } });
  \${${bundled} ? '' : "setTimeout(() => net.connect(1, '127.0.0.1'), 25);"}
} };\`;
folders.plugin('late', code, ${bundled} ? { under: 'package/dist/plugins' } : {});
const later = () => void setTimeout(() => { throw new Error('asked of the host'); }, 40);
const tools = createToolRegistry();
const { host, info } = folders.host({ services: { host: { later }, tools } });
process.on('uncaughtException', (error, origin) =>
  console.log(origin, '|', host.blame(error) ?? 'nobody', '|', error.message));
await host.load();
${bundled ? '' : "console.log('dialled by', tools.get('dial').execute({}, {}));"}
setTimeout(() => { throw new Error('from the host'); }, 60);
setTimeout(() => { console.log(info('late').state, '|', info('late').error); folders.close(); }, 150);
`;

later('one from outside, by its asynchronous context: timers, promises and sockets', async () => {
  const output = await run(program(false));
  assert.match(output, /uncaughtException \| late \| from a timer/);
  assert.match(output, /unhandledRejection \| late \| from a promise/);
  assert.match(output, /uncaughtException \| late \| connect ECONNREFUSED 127\.0\.0\.1:1/);
  assert.match(output, /uncaughtException \| nobody \| asked of the host/);
  assert.match(output, /dialled by dial/);
  assert.match(output, /uncaughtException \| late \| connect ECONNREFUSED 127\.0\.0\.1:2/);
  assert.match(output, /uncaughtException \| nobody \| from the host/);
  assert.match(output, /active \| An error was not caught: connect/);
});

later('a bundled one by its stack', async () => {
  const output = await run(program(true));
  assert.match(output, /uncaughtException \| late \| from a timer/);
  assert.match(output, /unhandledRejection \| late \| from a promise/);
  assert.match(output, /uncaughtException \| nobody \| from the host/);
});
later('the service itself goes on, also when it happens while others are still loading', async () => {
  const folders = pluginFolders();
  folders.plugin('a-throws', `export default { apply() { setTimeout(() => { throw new Error('too early'); }, 1); } };`);
  folders.plugin('b-slow', 'export default { apply: () => new Promise((resolve) => setTimeout(resolve, 200)) };');
  const env = { ...process.env, SERVICE_PORT: '0', SERVICE_DATA_DIR: join(folders.root, 'data') };
  const main = join(process.cwd(), 'dist/host/main.js');
  const service = spawn(process.execPath, [main], { cwd: folders.root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  try {
    let output = '';
    const ready = new Promise<string>((resolve) => {
      const read = (chunk: string): void => {
        output += chunk;
        const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
        if (url !== null) resolve(url[0]);
      };
      service.stdout.setEncoding('utf8').on('data', read);
      service.stderr.setEncoding('utf8').on('data', read);
    });
    const url = await within(20_000, ready, `the service (${output})`);
    const { plugins } = (await (await fetch(`${url}/api/plugins`)).json()) as { plugins: PluginInfo[] };
    const throwing = plugins.find(({ id }) => id === 'a-throws');
    assert.is(throwing?.state, 'active');
    assert.is(throwing?.error, 'An error was not caught: too early');
  } finally {
    service.kill();
    await new Promise((resolve) => service.once('close', resolve));
    await folders.close();
  }
});
later.run();
