import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { systemClock } from '../../lib/base/clock.ts';
import type { LogFields, Logger } from '../../lib/base/log.ts';
import type { Model } from '../../lib/models/model.ts';
import { createModelRegistry } from '../../lib/models/registry.ts';
import { createPluginHost, type PluginHostOptions } from '../../lib/plugins/create-plugin-host.ts';
import type { PluginHost } from '../../lib/plugins/plugin-host.ts';
import { createToolRegistry } from '../../lib/tools/registry.ts';
import type { PluginInfo } from '../../lib/wire/plugin.ts';

/** Real plugin folders in a temporary directory, and hosts that load them with real registries. */
export interface PluginFolders {
  readonly root: string;
  /** Writes a plugin folder. `module` is the text of its module, `manifest` is added to `{ name }`. */
  plugin(
    name: string,
    module: string,
    options?: { manifest?: object; files?: Record<string, string>; under?: string },
  ): string;
  host(options?: HostOptions): TestHost;
  /** Closes every host and removes the folders. */
  close(): Promise<void>;
}

export interface HostOptions extends Partial<Omit<PluginHostOptions, 'config'>> {
  plugins?: Partial<PluginHostOptions['config']['plugins']>;
  auth?: 'none' | 'accounts';
}

export interface TestHost {
  readonly host: PluginHost;
  readonly tools: ReturnType<typeof createToolRegistry>;
  readonly models: ReturnType<typeof createModelRegistry>;
  readonly log: { level: string; message: string }[];
  info(id: string): PluginInfo | undefined;
}

export function pluginFolders(): PluginFolders {
  const root = mkdtempSync(join(tmpdir(), 'plugins-'));
  const hosts: PluginHost[] = [];
  const write = (file: string, text: string): void => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  return {
    root,
    plugin(name, module, { manifest = {}, files = {}, under = 'plugins' } = {}) {
      const folder = join(root, under, encodeURIComponent(name));
      const { main = 'index.mjs' } = manifest as { main?: string };
      write(join(folder, 'service.plugin.json'), JSON.stringify({ name, version: '1.2.3', ...manifest }));
      write(join(folder, main), module);
      for (const [file, text] of Object.entries(files)) write(join(folder, file), text);
      return folder;
    },
    host({ plugins = {}, auth = 'none', ...options } = {}) {
      const log: { level: string; message: string }[] = [];
      const tools = createToolRegistry();
      const models = createModelRegistry(undefined);
      const host = createPluginHost({
        config: { plugins: { ...defaults, ...plugins }, auth: { ...noAuth, mode: auth } },
        bundledDirectory: join(root, 'package/dist/plugins'),
        cwd: root,
        clock: systemClock,
        log: recordingLog(log),
        services: { tools, models },
        ...options,
      });
      hosts.push(host);
      return { host, tools, models, log, info: (id) => host.list().find((plugin) => plugin.id === id) };
    },
    async close() {
      for (const host of hosts) await host.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

const defaults = { directories: ['plugins'], config: {}, hotReload: false, hotReloadIntervalMs: 1000 };
const noAuth = { mode: 'none' as const, bootstrapToken: '', bootstrapName: 'Admin', workspaces: {} };

export function recordingLog(lines: { level: string; message: string }[]): Logger {
  const write = (level: string) => (message: string, _fields?: LogFields) => void lines.push({ level, message });
  const log: Logger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: () => log,
  };
  return log;
}

/** A plugin's module that registers one tool that answers with a fixed text. */
export function toolPlugin(name: string, answer = name): string {
  return `export default { apply({ use }) { use('tools').register({
    name: ${JSON.stringify(name)}, description: '', parameters: { type: 'object' }, execute: () => ${JSON.stringify(answer)},
  }); } };`;
}

export type { Model };
