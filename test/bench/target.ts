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
  /** What its processes have written to stderr. */
  complaints: string[];
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
  const complaints: string[] = [];
  const program = [resolve(`${outdir}/raw-relay.js`)];
  return {
    name: 'raw',
    complaints,
    start(directory) {
      const environment = (port: number) => ({
        PORT: String(port),
        MODEL_URL: modelUrl,
        WORKSPACE: join(directory, 'workspace'),
      });
      return start(program, directory, { complaints, environment });
    },
  };
}

/** The built service with its defaults: file driver, full durability, bundled plugins. `nodeFlags` are for profiles. */
export function ourTarget(modelUrl: string, nodeFlags: string[]): Target {
  const complaints: string[] = [];
  const program = [...nodeFlags, resolve('dist/host/main.js')];
  return {
    name: 'ours',
    complaints,
    start(directory) {
      const settings = {
        agent: { workspace: join(directory, 'workspace') },
        plugins: { config: { 'chat-completions': { baseUrl: modelUrl, apiKey: 'bench', models: ['bench'] } } },
      };
      mkdirSync(directory, { recursive: true });
      writeFileSync(join(directory, 'service.config.json'), JSON.stringify(settings));
      const environment = (port: number) => ({
        SERVICE_PORT: String(port),
        SERVICE_LOG_LEVEL: 'warn',
        SERVICE_CHECKPOINTS: process.env.BENCH_CP ?? 'auto',
      });
      return start(program, directory, { complaints, environment });
    },
  };
}

async function start(
  program: string[],
  directory: string,
  { complaints, environment }: { complaints: string[]; environment: (port: number) => Record<string, string> },
): Promise<Running> {
  mkdirSync(join(directory, 'workspace'), { recursive: true });
  writeFileSync(join(directory, 'workspace', 'bench.txt'), 'one line\n');
  const port = await freePort();
  const spawnedAt = performance.now();
  const child = spawn(process.execPath, program, {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory, ...environment(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
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
      process.off('exit', killAtExit);
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
