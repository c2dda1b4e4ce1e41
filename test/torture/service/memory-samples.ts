import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunningService } from '../../helpers/running-service.ts';
import { eventually } from '../../helpers/within.ts';

/** Bytes right after all garbage was collected, and open descriptors. */
export interface MemorySample {
  rss: number;
  heapUsed: number;
  external: number;
  descriptors: number;
}

/** The environment that a service needs to be asked for samples. */
export function probedEnvironment(directory: string): Record<string, string> {
  const probe = resolve('test/torture/service/memory-probe.cjs');
  return { NODE_OPTIONS: `--require=${probe}`, MEMORY_PROBE_FILE: samplesIn(directory) };
}

/** Makes the service collect its garbage and say what is left; rejects after 10 s without an answer. */
export async function takeSample({ pid, directory }: RunningService): Promise<MemorySample> {
  const file = samplesIn(directory);
  const lines = (): string[] => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []);
  const before = lines().length;
  process.kill(pid, 'SIGUSR2');
  await eventually(10_000, () => lines().length > before, 'a sample of the memory');
  return JSON.parse(lines().at(-1) ?? '') as MemorySample;
}

function samplesIn(directory: string): string {
  return join(directory, 'memory.jsonl');
}
