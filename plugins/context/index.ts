import { join } from 'node:path';
import {
  array,
  defaulted,
  definePlugin,
  integer,
  min,
  object,
  rememberFiles,
  string,
  type Workspace,
} from '../../lib/plugin-api/index.ts';

/**
 * Adds the first of `files` that a workspace has to the system prompt, at most `maxBytes` of it. Paths are relative to the
 * workspace; one that leads outside is passed over like one that is not there.
 */
export default definePlugin({
  options: object({
    files: defaulted(array(string()), ['AGENTS.md', 'CLAUDE.md', 'CONTEXT.md', '.service/context.md']),
    maxBytes: defaulted(min(integer(), 1), 32_768),
  }),
  apply({ options: { files, maxBytes }, use }) {
    const workspaces = use('workspaces');
    const contextOf = rememberFiles(async (directory) => ({
      value: await firstFile(await workspaces.open(directory), files, maxBytes),
      paths: files.map((path) => join(directory, path)),
    }));
    use('session.prompts').register(({ workspace }) => contextOf(workspace));
  },
});

async function firstFile(workspace: Workspace, files: readonly string[], limit: number): Promise<string | undefined> {
  for (const path of files) {
    const file = await workspace.read(path, { limit }).catch(() => undefined);
    if (file === undefined || file.binary) continue;
    if (file.content.trim() === '') return undefined;
    const cut = file.truncated
      ? `\n[Cut after ${limit} of ${file.size} bytes; read_file shows the rest of ${path}.]`
      : '';
    return `The workspace has a file ${path} with instructions for agents:\n\n${file.content.trim()}${cut}`;
  }
  return undefined;
}
