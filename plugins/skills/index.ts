import { array, defaulted, definePlugin, integer, min, object, pattern, string } from '../../lib/plugin-api/index.ts';
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
    use('session.prompts').register(async ({ workspace }) => {
      const skills = await findSkills(await workspaces.open(workspace), options);
      if (skills.length === 0) return undefined;
      const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n');
      return `This workspace has skills. Before a task that one of them describes, load it with ${options.toolName}:\n${list}`;
    });
  },
});
