import {
  boolean,
  defaulted,
  defineTool,
  field,
  size,
  string,
  type Tool,
  type ToolContext,
} from '../../../lib/plugin-api/index.ts';
import { clip } from '../clip.ts';
import { type Place, placeOf } from '../files/place.ts';
import type { CoreToolsOptions } from '../options.ts';
import { type Matcher, startMatcher } from './matcher.ts';

const mostFiles = 1_000;
const batchSize = 2_000;

/** `directory` is where the plugin was loaded from. */
export function createFindFiles(options: CoreToolsOptions, directory: string): Tool {
  return defineTool({
    name: 'find_files',
    description:
      'Finds files by a glob pattern such as "*.ts" (any depth), "src/**/*.test.ts" or "**/{a,b}.json". Leaves out what .gitignore names, dependencies and build output.',
    category: 'files',
    parameters: {
      pattern: field(size(string(), 1, 1_000), 'Glob pattern; one without a slash is about names at any depth.'),
      path: field(
        defaulted(string(), '.'),
        'Directory to search, relative to the workspace; the pattern is relative to it.',
      ),
      include_ignored: field(defaulted(boolean(), false), 'Also look into ignored files and directories.'),
    },
    async execute({ pattern, path, include_ignored }, context) {
      const place = placeOf(path, context, options);
      const matcher = await startMatcher(directory, { glob: pattern }, context.signal);
      try {
        const found = await collect(matcher, place, { ignore: !include_ignored, context });
        const lines = found.slice(0, mostFiles);
        if (found.length > mostFiles) lines.push(`[More than ${mostFiles} files; use a narrower pattern.]`);
        const content = lines.length === 0 ? 'No file matches.' : lines.join('\n');
        return {
          content: clip(content, options.maxOutputChars),
          data: { files: found.slice(0, mostFiles), truncated: found.length > mostFiles },
        };
      } finally {
        await matcher.close();
      }
    },
  });
}

/** One more than are shown, when there are. */
async function collect(
  matcher: Matcher,
  { workspace, path }: Place,
  { ignore, context }: { ignore: boolean; context: ToolContext },
): Promise<string[]> {
  const found: string[] = [];
  let batch: string[] = [];
  const cut = prefixLength(path);
  const flush = async (): Promise<void> => {
    const matching = await matcher.filterPaths(batch.map((file) => file.slice(cut)));
    found.push(...matching.map((file) => `${batch[0]?.slice(0, cut) ?? ''}${file}`));
    batch = [];
  };
  for await (const file of workspace.walk(path, { signal: context.signal, ignore })) {
    batch.push(file.path);
    if (batch.length === batchSize) await flush();
    if (found.length > mostFiles) return found;
  }
  if (batch.length > 0) await flush();
  return found;
}

/** How much of a walked path belongs to the directory that was asked for. */
function prefixLength(path: string): number {
  const normal = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return normal.length === 0 || normal.includes('..') ? 0 : normal.join('/').length + 1;
}
