import { definePlugin } from '../../lib/plugin-api/index.ts';
import { createChildren } from './children.ts';
import { delegateTools } from './delegate.ts';
import { Options } from './options.ts';
import { rolesOf } from './roles.ts';

/**
 * Delegation to child sessions (contract: sub-agent fields, bundled plugin options). A child is a session like any other,
 * with `parentId`, `depth` and `role`, in the parent's workspace and tenant; it ends with its parent's run.
 */
export default definePlugin({
  options: Options,
  apply({ options, log, use }) {
    if (options.maxDepth === 0) return;
    const roles = rolesOf(options.roles);
    const tools = use('tools');
    const children = createChildren({ options, roles, tools, sessions: use('sessions'), clock: use('clock'), log });
    for (const tool of delegateTools(children, roles, options)) tools.register(tool);
  },
});
