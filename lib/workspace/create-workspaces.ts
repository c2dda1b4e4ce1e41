import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { makeDirectory } from '../base/make-directory.ts';
import { type Slots, unlimited } from '../base/slots.ts';
import type { Config } from '../config/config.ts';
import { ServiceError } from '../wire/errors.ts';
import { listDirectory } from './list-directory.ts';
import type { Bounds } from './open-inside.ts';
import { createOwnPaths } from './own-paths.ts';
import { readBytes, readFile } from './read-file.ts';
import { walkFiles } from './walk-files.ts';
import type { Workspace, Workspaces } from './workspace.ts';
import { writeFile } from './write-file.ts';

/**
 * Opens workspaces. `ownPaths` are the absolute paths of the store's files and directories (a segment `*` is any one
 * name); they and everything below them are invisible in every workspace. Resolves links on the way to them once,
 * blocking: create this at start-up.
 */
export function createWorkspaces(options: {
  config: Pick<Config, 'agent' | 'auth' | 'storage'>;
  ownPaths: readonly string[];
  /** Bounds how many files and directories are looked at, at once. */
  slots?: Slots;
}): Workspaces {
  const { config, slots = unlimited } = options;
  const isOwnPath = createOwnPaths(options.ownPaths);
  return {
    isOwnPath,
    async open(directory) {
      const root = isAbsolute(directory) ? await realDirectory(directory) : undefined;
      if (root === undefined || isOwnPath(root))
        throw new ServiceError('invalid_body', 'workspace must be the absolute path of a directory on the server.', {
          details: { path: 'workspace' },
        });
      return createWorkspace({ root, isOwnPath }, slots);
    },
    async defaultDirectory(tenantId) {
      if (config.auth.mode !== 'accounts') return config.agent.workspace;
      const mapped = Object.hasOwn(config.auth.workspaces, tenantId) ? config.auth.workspaces[tenantId] : undefined;
      const directory = mapped ?? join(config.storage.directory, 'tenants', tenantFolder(tenantId), 'workspace');
      await makeDirectory(directory);
      return directory;
    },
  };
}

function createWorkspace(bounds: Bounds, slots: Slots): Workspace {
  return {
    root: bounds.root,
    list: (path) => slots(() => listDirectory(bounds, path)),
    read: (path, options) => slots(() => readFile(bounds, path, options?.limit)),
    readBytes: (path, options) => slots(() => readBytes(bounds, path, options?.limit)),
    write: (path, content) => slots(() => writeFile(bounds, path, content)),
    walk: (path, options) => walkFiles(bounds, path, { ...options, slots }),
    wholeMachine: () => createWorkspace({ ...bounds, root: '/' }, slots),
  };
}

/** Undefined when there is none. */
async function realDirectory(directory: string): Promise<string | undefined> {
  try {
    const real = await realpath(directory);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function tenantFolder(tenantId: string): string {
  if (/^[a-z0-9-]{1,64}$/.test(tenantId)) return tenantId;
  throw new ServiceError('invalid_body', 'A tenant id has 1 to 64 of a-z, 0-9 and "-".', {
    details: { path: 'tenantId' },
  });
}
