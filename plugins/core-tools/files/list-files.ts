import { defaulted, defineTool, field, string, type Tool, type WorkspaceEntry } from '../../../lib/plugin-api/index.ts';
import { clip } from '../clip.ts';
import type { CoreToolsOptions } from '../options.ts';
import { placeOf } from './place.ts';

/** The tool `list_files`: one directory, at most 500 entries. */
export function createListFiles(options: CoreToolsOptions): Tool {
  return defineTool({
    name: 'list_files',
    description: 'Lists one directory: directories (with a slash) first, then files with their size in bytes.',
    category: 'files',
    parameters: {
      path: field(defaulted(string(), '.'), 'Path of the directory, relative to the workspace; default is its root.'),
    },
    async execute({ path }, context) {
      const place = placeOf(path, context, options);
      const listing = await place.workspace.list(place.path);
      const lines = listing.entries.map(describe);
      if (listing.truncated) lines.push('[There is more; use find_files with a pattern.]');
      const content = lines.length === 0 ? `${path} is empty.` : lines.join('\n');
      return { content: clip(content, options.maxOutputChars), data: listing };
    },
  });
}

function describe({ name, type, size }: WorkspaceEntry): string {
  return type === 'directory' ? `${name}/` : `${name} (${size})`;
}
