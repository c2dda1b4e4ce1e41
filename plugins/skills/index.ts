import { join } from 'node:path';
import {
  array,
  defaulted,
  definePlugin,
  integer,
  min,
  object,
  pattern,
  rememberFiles,
  string,
} from '../../lib/plugin-api/index.ts';
import { findSkills } from './find-skills.ts';
import { useSkillTool } from './use-skill.ts';

/**
 * Skills are folders with a `SKILL.md` (or single Markdown files) below `directories` of a workspace. Their names and
 * descriptions are in the system prompt; the instructions come only when the model asks for them.
 */
export default definePlugin({
  options: object({
    directories: defaulted(array(string()), ['.service/skills', 'skills']),
    maxSkillBytes: defaulted(min(integer(), 1), 64_000),
    maxSkills: defaulted(min(integer(), 1), 100),
    toolName: defaulted(pattern(string(), /^[A-Za-z0-9_-]{1,64}$/), 'use_skill'),
  }),
  apply({ options, use }) {
    const workspaces = use('workspaces');
    use('tools').register(useSkillTool(options));
    const listFor = rememberFiles(async (directory) => {
      const workspace = await workspaces.open(directory);
      const { skills, looked } = await findSkills(workspace, options);
      const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
      return { value: list, paths: looked.map((path) => join(directory, path)) };
    });
    use('session.prompts').register(async ({ workspace }) => {
      const list = await listFor(workspace);
      if (list === '') return undefined;
      return `This workspace has skills. Before a task that one of them describes, load it with ${options.toolName}:\n${list}`;
    });
  },
});
