import type { ToolSchema } from '../../lib/plugin-api/index.ts';
import type { Role } from './roles.ts';

/** What delegates: the deepest children do not have them. */
const delegating: readonly string[] = ['delegate', 'delegate_many'];

/**
 * The tools of a child: those of its role, without the ones that wait for approval unless these are exposed, and never
 * more than the session has that delegates to it, so that a restricted role can't get around its restriction.
 */
export function toolsFor({
  schemas,
  role,
  options,
  depth,
  parentTools,
}: {
  schemas: readonly ToolSchema[];
  role: Pick<Role, 'tools'>;
  options: { maxDepth: number; exposeApprovalTools: boolean };
  /** Of the child. */
  depth: number;
  /** Undefined: all. */
  parentTools: ReadonlySet<string> | undefined;
}): ReadonlySet<string> {
  const allowed = schemas.filter(
    ({ name, permission }) =>
      (role.tools?.includes(name) ?? true) &&
      (options.exposeApprovalTools || permission !== 'ask') &&
      (depth < options.maxDepth || !delegating.includes(name)) &&
      (parentTools?.has(name) ?? true),
  );
  return new Set(allowed.map(({ name }) => name));
}
