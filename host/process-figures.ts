import { readdir, readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import type { MetricFamily } from '../lib/service/prometheus-text.ts';

/**
 * What the operating system and Node tell about this process, under the names that dashboards know. What can't be told
 * is left out.
 */
export async function processFigures(lag: { last: number; most: number } | undefined): Promise<MetricFamily[]> {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    family('process_cpu_seconds_total', 'Processor time used.', (user + system) / 1e6, 'counter'),
    family('process_start_time_seconds', 'When the process started, as Unix time.', performance.timeOrigin / 1000),
    family('process_resident_memory_bytes', 'Memory in use.', rss),
    family('nodejs_heap_size_used_bytes', 'JavaScript memory in use.', heapUsed),
    family('process_open_fds', 'Open files and sockets.', await openFiles()),
    family('service_child_processes', 'Processes that the service started and that are running.', await children()),
    family('nodejs_eventloop_lag_seconds', 'By how much the last half-second tick was late.', seconds(lag?.last)),
    family('nodejs_eventloop_lag_max_seconds', 'The same, the worst since the start.', seconds(lag?.most)),
    family(
      'nodejs_eventloop_utilization',
      'Share of its life that the event loop was busy.',
      performance.eventLoopUtilization().utilization,
    ),
  ];
}

function family(name: string, help: string, value: number | undefined, type: MetricFamily['type'] = 'gauge') {
  return { name, help, type, samples: value === undefined ? [] : [{ value }] };
}

function seconds(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : milliseconds / 1000;
}

/** One of them is the directory that is being read. */
async function openFiles(): Promise<number | undefined> {
  const names = await readdir('/proc/self/fd').catch(() => undefined);
  return names && names.length - 1;
}

/** Direct children, whichever thread started them. */
async function children(): Promise<number | undefined> {
  try {
    const threads = await readdir('/proc/self/task');
    const lists = await Promise.all(threads.map((id) => readFile(`/proc/self/task/${id}/children`, 'utf8')));
    return lists
      .join(' ')
      .split(/\s+/)
      .filter((pid) => pid !== '').length;
  } catch {
    return undefined;
  }
}
