import { readdirSync, readFileSync } from 'node:fs';
import type { ToolResult } from '../../lib/wire/message.ts';
import { findChromium } from '../../plugins/browser/find-chromium.ts';
import { callOf, type ScriptedModel, scriptedModel } from '../helpers/scripted-model.ts';
import type { TestApp, TestAppOptions } from '../helpers/test-app.ts';
import { only, type TestSession, watch, withSession } from '../helpers/with-app.ts';
import { type Site, startSite } from './site.ts';

export interface BrowserBench {
  app: TestApp;
  session: TestSession;
  site: Site;
  model: ScriptedModel;
  /** Lets the model call one tool in the session (or another), and resolves with its result at the end of the run. */
  call(tool: string, args?: Record<string, unknown>, session?: TestSession): Promise<ToolResult>;
  /** Opens a page of the site. */
  open(path: string): Promise<ToolResult>;
  anotherSession(): Promise<TestSession>;
}

/** A service with a real browser that may reach the site without asking, unless said otherwise. */
export async function withBrowser(
  use: (bench: BrowserBench) => Promise<void>,
  {
    browser = {},
    core = { allowPrivateHosts: ['127.0.0.1', 'localhost', '::1'] },
    pages,
    ms = 40_000,
    ...options
  }: TestAppOptions & { browser?: object; core?: object; pages?: Parameters<typeof startSite>[0]; ms?: number } = {},
): Promise<void> {
  const site = await startSite(pages);
  const model = scriptedModel();
  const settings = {
    model: { default: 'scripted' },
    plugins: {
      directories: [],
      config: { browser: { permission: 'auto', timeoutMs: 10_000, settleMs: 100, ...browser }, 'core-tools': core },
    },
  };
  try {
    await withSession(
      { bundled: true, models: [model], settings, ...options },
      async (app, session) => {
        const call: BrowserBench['call'] = async (tool, args = {}, where = session) => {
          model.add({ toolCalls: [callOf(tool, args)] });
          await where.send('go');
          const events = await where.stream.until('run.finished', { ms: 20_000 });
          const [finished] = only(
            events.map(({ event }) => event),
            'tool.finished',
          );
          if (finished === undefined) throw new Error(`${tool} was not called`);
          return finished.result;
        };
        await use({
          ...{ app, session, site, model, call },
          open: (path) => call('browser_open', { url: site.url + path }),
          anotherSession: async () => watch(app, (await app.newSession()).id),
        });
      },
      ms,
    );
  } finally {
    await site.close();
  }
}

/** The reference of the element whose line contains `words`. */
export function referenceOf({ content }: ToolResult, words: string): string {
  const line = content.split('\n').find((text) => /^\[e\d+\]/.test(text) && text.includes(words));
  const reference = /^\[(e\d+)\]/.exec(line ?? '')?.[1];
  if (reference === undefined) throw new Error(`no element with "${words}" in:\n${content}`);
  return reference;
}

/** Why browsers can't be tested here; undefined where they can. */
export async function missingBrowser(): Promise<string | undefined> {
  return findChromium(undefined).then(
    () => undefined,
    () => 'no Chromium is installed',
  );
}

/** Browser processes that descend from a process, by default this one, and their resident memory in MB. */
export function browserProcesses(root = process.pid): { pids: number[]; megabytes: number } {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (state !== 'Z') parents.set(Number(name), Number(parent));
    } catch {}
  }
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === root || isBelow(parent));
  };
  const pids = [...parents.keys()].filter((pid) => isBelow(pid) && commandOf(pid).includes('chrom'));
  const megabytes = pids.reduce((sum, pid) => sum + memoryOf(pid), 0);
  return { pids, megabytes: Math.round(megabytes) };
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

/** Shared pages are divided among those who share them. */
function memoryOf(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
