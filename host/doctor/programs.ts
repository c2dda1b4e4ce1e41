import { messageOf } from '../../lib/base/caught.ts';
import { findProgram, usualPath } from '../../lib/base/find-program.ts';
import type { Config } from '../../lib/config/config.ts';
import { findChromium } from '../../plugins/browser/find-chromium.ts';
import { probeSandbox } from '../../plugins/core-tools/shell/sandbox.ts';
import { type Check, fail, mayLoad, ok, warn } from './check.ts';

/** What the bundled tools use when it is installed. Starts one process: an empty sandbox. */
export async function checkPrograms(
  config: Pick<Config, 'auth' | 'plugins'>,
  path = process.env.PATH ?? usualPath,
): Promise<Check[]> {
  const { plugins } = config;
  return [
    await git(path),
    ...(mayLoad(plugins, 'browser') ? [await chromium(config, path)] : []),
    ...(mayLoad(plugins, 'core-tools') ? [await sandbox(config, path)] : []),
  ];
}

async function git(path: string): Promise<Check> {
  const found = await findProgram('git', { path });
  return found === undefined
    ? warn('git', 'Not installed. Checkpoints work without it; agents that work with repositories will miss it.')
    : ok('git', `${found}.`);
}

async function chromium({ plugins }: Pick<Config, 'plugins'>, path: string): Promise<Check> {
  const { executable } = plugins.config.browser ?? {};
  return findChromium(typeof executable === 'string' ? executable : undefined, path).then(
    (found) => ok('Chromium', `${found}.`),
    (error: unknown) => warn('Chromium', messageOf(error)),
  );
}

/** In mode `accounts` the shell refuses without a sandbox, so there a missing one is a failure. */
async function sandbox({ auth, plugins }: Pick<Config, 'auth' | 'plugins'>, path: string): Promise<Check> {
  const problem = await probeSandbox({ PATH: path });
  if (problem === undefined) return ok('Sandbox', 'bubblewrap works.');
  const { shellSandbox } = plugins.config['core-tools'] ?? {};
  const required = shellSandbox === 'required' || (shellSandbox === undefined && auth.mode === 'accounts');
  return required
    ? fail('Sandbox', `${problem}; the shell tool refuses without it. Install bubblewrap and allow user namespaces.`)
    : warn('Sandbox', `${problem}. Commands run as the service's user.`);
}
