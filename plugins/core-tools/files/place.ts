import { isAbsolute, relative, resolve } from 'node:path';
import type { ToolContext, Workspace } from '../../../lib/plugin-api/index.ts';
import type { CoreToolsOptions } from '../options.ts';

/** A path as a tool was given it, and where to look for it. */
export interface Place {
  workspace: Workspace;
  path: string;
}

/**
 * Where a tool's path lies. An absolute path into the workspace is taken as one: models like to write those. Without the
 * restriction, paths that lead elsewhere are looked up on the whole machine; otherwise the workspace refuses them.
 */
export function placeOf(
  path: string,
  context: Pick<ToolContext, 'workspace'>,
  options: Pick<CoreToolsOptions, 'restrictToWorkspace'>,
): Place {
  const { workspace } = context;
  const absolute = resolve(workspace.root, path);
  const inside = relative(workspace.root, absolute);
  const leaves = inside === '..' || inside.startsWith('../');
  if (!leaves) return { workspace, path: isAbsolute(path) ? inside || '.' : path };
  if (options.restrictToWorkspace) return { workspace, path };
  return { workspace: workspace.wholeMachine(), path: absolute.slice(1) || '.' };
}
