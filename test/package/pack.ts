import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { globSync } from '../glob.mjs';
import { tempDirectory } from '../helpers/temp-directory.ts';

const name = 'agent-session-service';

export interface Installed {
  /** A folder that holds nothing but what an installation puts there. */
  folder: string;
  /** The package in it. */
  root: string;
  /** The paths in the tarball, relative to the package. */
  files: string[];
  tarball: string;
}

/**
 * Packs the build as `npm pack` would and installs the tarball into an empty folder. In CI npm does that, with dependencies
 * from the registry; elsewhere, and when the registry can't be reached, exactly the declared dependencies are linked.
 */
export function installPacked(): Installed {
  const staging = tempDirectory('staging');
  const { files = [] } = manifestIn('.');
  for (const entry of ['package.json', ...files.filter(isSource).flatMap(filesOf)])
    cpSync(entry, join(staging, entry), { recursive: true });
  cpSync('package-lock.json', join(staging, 'npm-shrinkwrap.json'));
  execFileSync(resolve('node_modules/.bin/tsc'), [
    '-p',
    'tsconfig.types.json',
    '--outDir',
    join(staging, 'dist/types'),
  ]);
  const folder = tempDirectory('empty');
  const packed = JSON.parse(npm(['pack', '--ignore-scripts', '--json', '--pack-destination', folder], staging));
  const tarball = join(folder, packed[0].filename);
  const paths = packed[0].files.map(({ path }: { path: string }) => path);
  if (!process.env.CI || !installFromRegistry(tarball, folder)) installByLinks(tarball, folder);
  return { folder, root: join(folder, 'node_modules', name), files: paths, tarball };
}

/** A star between slashes stands for any one folder. */
function filesOf(entry: string): string[] {
  const [folder, file] = entry.split('/*/');
  return folder && file ? globSync(folder, new RegExp(`^${folder}/[^/]+/${file}$`)) : [entry];
}

/** The lock file is made of the one in the checkout. */
function isSource(file: string): boolean {
  return !file.startsWith('!') && file !== 'npm-shrinkwrap.json';
}

/** Unpacks the tarball and has npm install exactly what its lock file names; undefined where the registry does not answer. */
export function installLocked(tarball: string): string | undefined {
  const folder = tempDirectory('locked');
  execFileSync('tar', ['-xzf', tarball, '-C', folder, '--strip-components', '1']);
  const { status } = spawnSync('npm', ['ci', '--omit=dev', ...flags], { cwd: folder, timeout: 120_000 });
  return status === 0 ? folder : undefined;
}

const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];

function installFromRegistry(tarball: string, folder: string): boolean {
  const { status } = spawnSync('npm', ['install', ...flags, tarball], { cwd: folder, timeout: 120_000 });
  if (status !== 0) console.log('SKIPPED installing with npm: the registry does not answer; dependencies are linked');
  return status === 0;
}

function installByLinks(tarball: string, folder: string): void {
  const root = join(folder, 'node_modules', name);
  mkdirSync(root, { recursive: true });
  execFileSync('tar', ['-xzf', tarball, '-C', root, '--strip-components', '1']);
  const { dependencies = {}, bin = {} } = manifestIn(root);
  for (const dependency of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', dependency);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve('node_modules', dependency), link);
  }
  mkdirSync(join(folder, 'node_modules/.bin'));
  for (const [command, file] of Object.entries(bin))
    writeFileSync(join(folder, 'node_modules/.bin', command), `#!/bin/sh\nexec node "${join(root, file)}" "$@"\n`, {
      mode: 0o755,
    });
  writeFileSync(join(folder, 'package.json'), '{}');
}

interface Manifest {
  files?: string[];
  dependencies?: Record<string, string>;
  bin?: Record<string, string>;
}

function manifestIn(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

function npm(args: string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}
