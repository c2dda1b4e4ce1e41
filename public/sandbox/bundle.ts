import type { PluginInfo } from '../../lib/wire/plugin.ts';
import type { Extension, FrameContext, Init } from './protocol.ts';
import { createProxy } from './proxy.ts';
import { readTheme } from './theme.ts';

export interface PluginReport {
  state: 'checking' | 'ready' | 'failed' | 'stopped' | 'quarantined';
  /** What went wrong, each cause once. */
  problems: readonly string[];
  /** Calls that no grant covers, each once. */
  refused: readonly string[];
}

/** What a bundle puts into the console at the moment: while a new revision is looked at, what the last one did. */
export interface Shown {
  key: string;
  extensions: readonly Extension[];
  /** Said in place of each extension: this revision does not work. */
  problem?: string;
}

/** A plugin with a browser part, as far as it is known here. */
export interface Bundle {
  info: PluginInfo;
  web: NonNullable<PluginInfo['web']>;
  key: string;
  state: PluginReport['state'];
  shown: Shown;
  problems: Set<string>;
  /** Kinds of problems that were announced already. */
  announced: Set<string>;
  refused: Set<string>;
  thefts: number;
  proxy: ReturnType<typeof createProxy>;
}

const maxRefused = 50;

/** A bundle that puts nothing anywhere. */
export const nothing: Shown = { key: '', extensions: [] };

/** A bundle that nobody has looked at yet. */
export function createBundle(
  info: PluginInfo,
  options: {
    web: Bundle['web'];
    key: string;
    shown?: Shown | undefined;
    base: string;
    token(): string | undefined;
    changed(): void;
  },
): Bundle {
  const { web, key, shown = nothing, base, token, changed } = options;
  const refused = new Set<string>();
  const proxy = createProxy({
    plugin: info.id,
    api: web.api,
    base,
    token,
    fetch: (input, init) => fetch(input, init),
    now: () => performance.now(),
    refused(message) {
      if (refused.has(message) || refused.size >= maxRefused) return;
      refused.add(message);
      changed();
    },
  });
  return {
    info,
    web,
    key,
    state: 'stopped',
    shown,
    problems: new Set(),
    announced: new Set(),
    refused,
    thefts: 0,
    proxy,
  };
}

/** The sandbox document of a bundle's revision. */
export function documentUrl({ info, web }: Bundle, base: string): string {
  const query = new URLSearchParams({ plugin: info.id, ...(web.revision ? { v: web.revision } : {}) });
  return new URL(`plugin-sandbox.html?${query}`, base).href;
}

/** What a frame is told. Without an extension it is a discovery. */
export function initOf(
  { info, web }: Bundle,
  extension: Extension | undefined,
  { base, fields = {} }: { base: string; fields?: Partial<FrameContext> },
): Init {
  const start = `plugins/${encodeURIComponent(info.id)}/`;
  const revision = web.revision ? `?v=${encodeURIComponent(web.revision)}` : '';
  const address = (path: string) => new URL(`${path}${revision}`, base).href;
  return {
    t: 'init',
    mode: extension ? 'mount' : 'discover',
    entry: address(`${start}.sandbox/${web.entry.slice(start.length + 1)}`),
    css: web.css.map((path) => address(path.slice(1))),
    extensionId: extension?.id ?? '',
    context: {
      plugin: { id: info.id, name: info.name, version: info.version },
      endpoint: base.replace(/\/$/, ''),
      ...fields,
    },
    composer: extension?.slot === 'composer.actions' && web.capabilities.includes('composer.submit'),
    theme: readTheme(),
  };
}
