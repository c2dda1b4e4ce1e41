import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Client, createClient } from '../../lib/client/index.ts';
import { tempDirectory } from './temp-directory.ts';
import { within } from './within.ts';

export interface ServiceOptions {
  /** The content of service.config.json. */
  settings?: object;
  env?: Record<string, string>;
  flags?: string[];
  /** A program that starts it, with its arguments, for example to lower a limit. It must become the service by exec. */
  under?: string[];
  /** To start on what an earlier process left. Default: a fresh temporary directory. */
  directory?: string;
  /** For the first health answer, default 20 s. */
  readyMs?: number;
}

/** The built service in a process of its own, on a port of its own. Stop or kill it. */
export interface RunningService {
  readonly url: string;
  readonly pid: number;
  /** The working directory; holds `data` (the data root), `workspace` and `service.config.json`. */
  readonly directory: string;
  readonly workspace: string;
  /** With the token of the settings, if they have one. */
  readonly client: Client;
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Everything it has printed. */
  output(): string;
  /** Ends it as an operator would; resolves with its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** kill -9. */
  kill(): Promise<void>;
  /** Starts a new process on the same directory, with other settings if given. End this one first. */
  restart(options?: Omit<ServiceOptions, 'directory'>): Promise<RunningService>;
}

/** Starts `dist/host/main.js` and waits until it says where it listens. Rejects with its output when it ends before. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const directory = options.directory ?? tempDirectory('service');
  const workspace = join(directory, 'workspace');
  mkdirSync(workspace, { recursive: true });
  const agent = { workspace, ...agentOf(options.settings) };
  const settings = { storage: { directory: join(directory, 'data') }, ...options.settings, agent };
  writeFileSync(join(directory, 'service.config.json'), JSON.stringify(settings, undefined, 2));

  const main = resolve('dist/host/main.js');
  const node = [process.execPath, '--enable-source-maps', main, '--port', '0', ...(options.flags ?? [])];
  const [program = '', ...args] = [...(options.under ?? []), ...node];
  const child = spawn(program, args, {
    cwd: directory,
    env: { ...scrubbed(process.env), ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const killAtExit = () => child.kill('SIGKILL');
  process.once('exit', killAtExit);
  const ended = once(child, 'close').finally(() => process.off('exit', killAtExit));

  const { url, output } = await within(
    options.readyMs ?? 20_000,
    whereItListens(child),
    'the start of the service',
  ).catch((error: unknown) => {
    child.kill('SIGKILL');
    throw error;
  });
  const token = options.env?.SERVICE_TOKEN ?? tokenIn(settings);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    await within(30_000, ended, `the end of the service after ${signal}`);
    return child.exitCode;
  };

  return {
    url,
    pid: child.pid ?? 0,
    directory,
    workspace,
    client: createClient({ baseUrl: url, ...(token ? { token } : {}) }),
    fetch: (path, init) => fetch(new URL(path, url), init),
    output,
    stop: (signal = 'SIGTERM') => end(signal),
    kill: async () => void (await end('SIGKILL')),
    restart: (again = {}) => startService({ ...options, ...again, directory }),
  };
}

/** Reads the output until it names the address. */
function whereItListens(child: ChildProcess): Promise<{ url: string; output: () => string }> {
  let output = '';
  return new Promise((resolve, reject) => {
    const read = (text: string) => {
      output += text;
      const url = /http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]|0\.0\.0\.0):\d+/.exec(output)?.[0];
      if (url) resolve({ url: url.replace('0.0.0.0', '127.0.0.1'), output: () => output });
    };
    child.stdout?.setEncoding('utf8').on('data', read);
    child.stderr?.setEncoding('utf8').on('data', read);
    child.once('close', (code, signal) =>
      reject(new Error(`the service ended (${signal ?? code}) before it listened:\n${output}`)),
    );
    child.once('error', reject);
  });
}

/** Keys and settings of the person who runs the tests must not reach the service. */
function scrubbed(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(SERVICE|OPENAI|ANTHROPIC)_|^NODE_/.test(name)));
}

function agentOf(settings: object = {}): object {
  return 'agent' in settings && typeof settings.agent === 'object' ? (settings.agent ?? {}) : {};
}

function tokenIn(settings: object): string | undefined {
  const { server } = settings as { server?: { token?: string } };
  return server?.token;
}
