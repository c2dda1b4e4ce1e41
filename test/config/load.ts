import * as assert from 'uvu/assert';
import type { Config } from '../../lib/config/config.ts';
import { type LoadConfigOptions, loadConfig } from '../../lib/config/load-config.ts';

/** Loads with `file` as the content of service.config.json (absent: there is none). */
export function load({
  file,
  env = {},
  ...rest
}: { file?: unknown; env?: Record<string, string> } & Partial<LoadConfigOptions> = {}): {
  config: Config;
  warnings: string[];
} {
  const text = typeof file === 'string' || file === undefined ? file : JSON.stringify(file);
  return loadConfig({
    env,
    cwd: '/work-place',
    packageRoot: '/package',
    readFile: (path) => (path === '/work-place/service.config.json' ? text : undefined),
    isDirectory: (path) => path === '/work-place',
    ...rest,
  });
}

/** The message of the refusal; fails when the configuration is accepted or the exit code is not 78. */
export function refusal(options: Parameters<typeof load>[0]): string {
  try {
    load(options);
  } catch (error) {
    assert.instance(error, Error);
    assert.is(Reflect.get(error as Error, 'exitCode'), 78);
    return (error as Error).message;
  }
  return assert.unreachable('the configuration was accepted') as never;
}

/** `nested('a.b', 1)` is `{a: {b: 1}}`. */
export function nested(key: string, value: unknown): Record<string, unknown> {
  const [first = '', ...rest] = key.split('.');
  return { [first]: rest.length === 0 ? value : nested(rest.join('.'), value) };
}

export function valueAt(tree: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((value, name) => Reflect.get(Object(value), name), tree);
}
