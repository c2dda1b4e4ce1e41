import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchClient } from '../bench-client.ts';
import { editTree, makeTree, nativeGit, touchTree } from '../checkpoint-tree.ts';
import type { Metric, MetricContext, Row } from '../metric.ts';
import { median } from '../stats.ts';
import { underLoad } from '../under-load.ts';

const beside = (row: string) => ({ target: 'ours', row: `git:${row}` });
const ms = { unit: 'ms', good: 'low' } as const;

const rows: Row[] = [
  { id: 'cpFirst', label: 'first checkpoint of 20,000 files (raw: native git)', ...ms, yardstick: beside('cpFirst') },
  { id: 'cpSame', label: 'checkpoint of nothing new (raw: native git)', ...ms, yardstick: beside('cpSame') },
  {
    id: 'cpSecond',
    label: 'second checkpoint of 20,000 files, one change (raw: native git)',
    ...ms,
    must: 2.5,
    stretch: 1.5,
    yardstick: beside('cpSecond'),
  },
  { id: 'cpSecondMs', label: '- the same against the clock', ...ms, must: 800, of: 'value' },
  { id: 'cpStall', label: '- longest event-loop stall meanwhile', ...ms, must: 50, of: 'value' },
  { id: 'cpRestore', label: 'restore of 30 of 20,000 files (raw: native git)', ...ms, yardstick: beside('cpRestore') },
  {
    id: 'lag99',
    label: 'event-loop lag under 200 runs and such snapshots, p99',
    ...ms,
    must: 50,
    stretch: 20,
    of: 'value',
  },
  { id: 'lagMax', label: '- longest', ...ms },
];

/** Snapshots of a large workspace, beside the real git on the same files. Without git there is no ratio. */
export const checkpoints: Metric = {
  rows,
  targets: ['ours'],
  longestMs: 120_000,
  async measure(context) {
    const { target, directory } = context;
    const running = await target.start(join(directory, 'checkpoints'), { probe: true });
    try {
      return await onTree(context, running);
    } finally {
      await running.stop();
    }
  },
};

async function onTree(
  { directory, scale }: MetricContext,
  running: Awaited<ReturnType<MetricContext['target']['start']>>,
): Promise<Record<string, number>> {
  const { client } = running;
  const tree = join(directory, 'tree');
  // One more is the list of what to ignore; 20,000 is what a workspace may have unless set otherwise.
  makeTree(tree, scale.pick(19_999, 1_999));
  // Older than what the times of young files can prove to both.
  await sleep(2_000);
  const sessionId = await client.createSession({ workspace: tree });
  const git = nativeGit(tree, join(directory, 'native.git'));
  const values: Record<string, number> = {};
  const capture = async () => {
    const { checkpoint } = await post<{ checkpoint: { id: string } }>(client, `/api/sessions/${sessionId}/checkpoints`);
    return checkpoint.id;
  };
  const both = async <T>(id: string, ours: () => Promise<T>, theirs: () => unknown): Promise<T> => {
    const before = performance.now();
    const value = await ours();
    values[id] = performance.now() - before;
    if (!git) return value;
    const again = performance.now();
    theirs();
    values[`git:${id}`] = performance.now() - again;
    return value;
  };

  let gitTree = '';
  const first = await both('cpFirst', capture, () => {
    gitTree = git?.snapshot() ?? '';
  });
  await both('cpSame', capture, () => git?.snapshot());
  await running.loopDelay();
  const seconds: Record<string, number[]> = { cpSecond: [], 'git:cpSecond': [] };
  for (let at = 0; at < 5; at++) {
    touchTree(tree, `${at}`);
    await both('cpSecond', capture, () => git?.snapshot());
    for (const id of Object.keys(seconds)) seconds[id]?.push(values[id] ?? Number.NaN);
  }
  for (const [id, times] of Object.entries(seconds)) if (git || id === 'cpSecond') values[id] = median(times);
  values.cpSecondMs = values.cpSecond ?? Number.NaN;
  values.cpStall = (await running.loopDelay()).maxMs;
  editTree(tree);
  await both(
    'cpRestore',
    () => post(client, `/api/sessions/${sessionId}/checkpoints/${first}/restore`),
    () => {
      editTree(tree);
      git?.restore(gitTree);
    },
  );

  const lag = await underLoad(running, {
    runs: 200,
    meanwhile: async (at) => {
      touchTree(tree, `under load ${at}`);
      await capture();
    },
  });
  return { ...values, lag99: lag.p99Ms, lagMax: lag.maxMs };
}

async function post<T>(client: BenchClient, path: string): Promise<T> {
  const { status, text } = await client.request('POST', path, {});
  if (status >= 300) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return JSON.parse(text) as T;
}
