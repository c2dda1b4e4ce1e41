import { defaulted, definePlugin, integer, min, object, refine, string } from '../../lib/plugin-api/index.ts';
import { createMemoryFiles } from './memory-file.ts';
import { memoryTools } from './tools.ts';

const RelativePath = refine(string(), 'path', (path) =>
  path !== '' && !/^([\\/]|[A-Za-z]:)|(^|[\\/])\.\.([\\/]|$)/.test(path) ? true : 'must be a path inside the workspace',
);

/** A memory per workspace, shared by all sessions that work there, in the file `path`. */
export default definePlugin({
  options: object({
    path: defaulted(RelativePath, '.service/memory.json'),
    maxEntries: defaulted(min(integer(), 1), 2_000),
  }),
  apply({ options: { path, maxEntries }, use }) {
    const tools = use('tools');
    for (const tool of memoryTools({ open: createMemoryFiles(path), maxEntries, now: use('clock').now }))
      tools.register(tool);
  },
});
