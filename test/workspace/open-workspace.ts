import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createWorkspaces } from '../../lib/workspace/create-workspaces.ts';
import type { Workspace, Workspaces } from '../../lib/workspace/workspace.ts';

/** The store's paths below a data root, as the host passes them. */
export function ownPathsOf(data: string): string[] {
  const names = ['sessions', 'tenants/*/sessions', 'log', 'blobs', 'auth', 'checkpoints', 'lock', 'service.db'];
  return names.map((name) => join(data, name));
}

/** Workspaces over `base`: the workspace `base/inside`, the data root `base/data` unless told otherwise. */
export function workspacesIn(base: string, options: { data?: string; accounts?: boolean } = {}): Workspaces {
  const data = options.data ?? join(base, 'data');
  return createWorkspaces({
    config: {
      agent: {
        workspace: join(base, 'inside'),
        systemPrompt: '',
        compaction: { enabled: true, threshold: 0.8, keepRecent: 8, fallbackContextWindow: 128_000 },
        retry: { attempts: 1, baseDelayMs: 1, maxDelayMs: 1 },
      },
      auth: {
        mode: options.accounts ? 'accounts' : 'none',
        bootstrapToken: '',
        bootstrapName: 'Admin',
        workspaces: { mapped: join(base, 'mapped') },
      },
      storage: { directory: data, driver: 'file', durability: 'full', minFreeBytes: 0, reserveBytes: 0 },
    },
    ownPaths: ownPathsOf(data),
  });
}

/** The workspace `base/inside`, made when missing. */
export async function openWorkspace(base: string): Promise<Workspace> {
  await mkdir(join(base, 'inside'), { recursive: true });
  return workspacesIn(base).open(join(base, 'inside'));
}

/** The code of the ServiceError that a promise rejects with; `none` when it resolves. */
export async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
    return 'none';
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  }
}

/** Everything a walk yields. */
export async function pathsOf(files: AsyncIterable<{ path: string }>): Promise<string[]> {
  const paths: string[] = [];
  for await (const file of files) paths.push(file.path);
  return paths;
}
