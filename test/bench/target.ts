import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../helpers/free-port.ts';
import { type BenchClient, createBenchClient } from './bench-client.ts';
import { type Driver, ownDialect } from './driver.ts';

/** A driver with what it needs to start processes. */
export interface Target {
  name: string;
  forgets: boolean;
  /** What its processes have written to stderr. */
  complaints: string[];
  start(directory: string, options?: StartOptions): Promise<Running>;
  /** Ends every process that still runs: after a failure nothing of it may disturb what is measured next. */
  abandon(): Promise<void>;
}

export interface StartOptions {
  /** Watch the event loop of the process, if it runs on node. */
  probe?: boolean;
  environment?: Record<string, string>;
}

export interface Running {
  client: BenchClient;
  directory: string;
  /** From spawn to the first healthy answer. */
  startMs: number;
  /** `performance.now()` at spawn. */
  spawnedAt: number;
  rssMiB(): number;
  /** User and system time so far; the kernel counts in steps of 10 ms. */
  cpuMs(): number;
  /** Processor time of the main thread so far, to the nanosecond where the kernel tells it. */
  loopCpuMs(): number;
  /** How late the event loop was since the last call. Only with `probe`. */
  loopDelay(): Promise<{ p99Ms: number; maxMs: number }>;
  stop(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
}

export function createTarget(driver: Driver, { modelUrl, outdir }: { modelUrl: string; outdir: string }): Target {
  const complaints: string[] = [];
  const alive = new Set<ChildProcess>();
  return {
    name: driver.name,
    forgets: driver.forgets ?? false,
    complaints,
    async start(directory, { probe = false, environment = {} } = {}) {
      const workspace = join(directory, 'workspace');
      mkdirSync(workspace, { recursive: true });
      writeFileSync(join(workspace, 'bench.txt'), 'one line\n');
      const port = await freePort();
      const program = await driver.program({ directory, workspace, port, modelUrl });
      const loopFile = join(directory, 'loop-delay.json');
      const probing = {
        NODE_OPTIONS: `--import ${resolve(outdir, 'loop-probe.js')}`,
        LOOP_PROBE: loopFile,
      };
      const spawnedAt = performance.now();
      const child = spawn(program.command, program.words, {
        cwd: directory,
        env: {
          PATH: process.env.PATH,
          HOME: directory,
          ...program.environment,
          ...environment,
          ...(probe && probing),
        },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      alive.add(child);
      child.once('close', () => alive.delete(child));
      child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
      const client = createBenchClient(port, { ...ownDialect, ...driver.dialect });
      return running(child, { client, directory, spawnedAt, loopFile });
    },
    async abandon() {
      await Promise.all(
        [...alive].map(async (child) => {
          const ended = once(child, 'close');
          child.kill('SIGKILL');
          await ended;
        }),
      );
    },
  };
}

/** Waits until the process has done what earlier requests left to it (checkpoints, snapshots), 10 s at most. */
export async function settled(running: Running): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    const before = running.cpuMs();
    await sleep(100);
    if (running.cpuMs() - before <= 10) return;
  }
}

async function running(
  child: ChildProcess,
  {
    client,
    directory,
    spawnedAt,
    loopFile,
  }: Pick<Running, 'client' | 'directory' | 'spawnedAt'> & { loopFile: string },
): Promise<Running> {
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = once(child, 'close').finally(() => process.off('exit', killAtExit));
  await healthy(child, client);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    client.close();
    child.kill(signal);
    const late = setTimeout(() => child.kill('SIGKILL'), 10_000);
    await ended;
    clearTimeout(late);
  };
  return {
    client,
    directory,
    startMs: performance.now() - spawnedAt,
    spawnedAt,
    rssMiB: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024,
    cpuMs: () => cpuMs(child),
    loopCpuMs: () => loopCpuMs(child),
    async loopDelay() {
      rmSync(loopFile, { force: true });
      child.kill('SIGUSR2');
      for (let tries = 0; tries < 1_000; tries++) {
        await sleep(5);
        try {
          return JSON.parse(readFileSync(loopFile, 'utf8')) as { p99Ms: number; maxMs: number };
        } catch {
          // Not written yet, or not whole.
        }
      }
      throw new Error('the event loop of the process did not answer');
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

function cpuMs({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

function loopCpuMs(child: ChildProcess): number {
  const file = `/proc/${child.pid}/schedstat`;
  return existsSync(file) ? Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6 : cpuMs(child);
}

async function healthy(child: ChildProcess, client: BenchClient): Promise<void> {
  const end = performance.now() + 20_000;
  while (child.exitCode === null && performance.now() < end) {
    const answer = await client.request('GET', client.dialect.healthPath).catch(() => undefined);
    if (answer?.status === 200) return;
    await sleep(1);
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} did not become healthy (exit code ${child.exitCode})`);
}
