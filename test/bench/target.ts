import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BenchClient, createBenchClient } from './bench-client.ts';

/** What is measured: how to start it on a directory. */
export interface Target {
  name: 'raw' | 'ours';
  start(directory: string): Promise<Running>;
}

export interface Running {
  client: BenchClient;
  /** From spawn to the first healthy answer. */
  startMs: number;
  /** `performance.now()` at spawn. */
  spawnedAt: number;
  rssMiB(): number;
  /** User and system time so far; the kernel counts in steps of 10 ms. */
  cpuMs(): number;
  stop(): Promise<void>;
}

export function rawTarget(outdir: string, modelUrl: string): Target {
  return {
    name: 'raw',
    start: (directory) =>
      start([`${outdir}/raw-relay.js`], directory, (port) => ({
        PORT: String(port),
        MODEL_URL: modelUrl,
        WORKSPACE: join(directory, 'workspace'),
      })),
  };
}

/** The built service with its defaults: file driver, full durability, bundled plugins. */
export function ourTarget(modelUrl: string): Target {
  const main = resolve('dist/host/main.js');
  return {
    name: 'ours',
    start(directory) {
      const settings = {
        agent: { workspace: join(directory, 'workspace') },
        plugins: { config: { 'chat-completions': { baseUrl: modelUrl, apiKey: 'bench', models: ['bench'] } } },
      };
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'service.config.json'), JSON.stringify(settings));
      return start([main], directory, (port) => ({ SERVICE_PORT: String(port), SERVICE_LOG_LEVEL: 'warn' }));
    },
  };
}

async function start(
  program: string[],
  directory: string,
  environment: (port: number) => Record<string, string>,
): Promise<Running> {
  mkdirSync(join(directory, 'workspace'), { recursive: true });
  writeFileSync(join(directory, 'workspace', 'bench.txt'), 'one line\n');
  const port = await freePort();
  const paths = program.map((file) => resolve(file));
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, paths, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...environment(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  const client = createBenchClient(port);
  await healthy(child, client);
  return {
    client,
    startMs: performance.now() - spawnedAt,
    spawnedAt,
    rssMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    cpuMs: () => {
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
      return (Number(fields[11]) + Number(fields[12])) * 10;
    },
    async stop() {
      client.close();
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
      await ended;
      clearTimeout(late);
    },
  };
}

async function healthy(child: ChildProcess, client: BenchClient): Promise<void> {
  const end = performance.now() + 20_000;
  while (child.exitCode === null && performance.now() < end) {
    const answer = await client.request('GET', '/api/health').catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(1);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} did not become healthy (exit code ${child.exitCode})`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
