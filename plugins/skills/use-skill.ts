import {
  defineTool,
  field,
  optional,
  string,
  type Tool,
  type ToolOutput,
  type Workspace,
} from '../../lib/plugin-api/index.ts';
import { findSkills, type Skill } from './find-skills.ts';
import { splitFrontMatter } from './front-matter.ts';

export interface SkillOptions {
  directories: readonly string[];
  /** The most of a skill, or of a file that belongs to it, that a model gets. */
  maxSkillBytes: number;
  maxSkills: number;
  toolName: string;
}

const listedResources = 50;

/** The tool that loads the instructions of a skill, or a file beside them. */
export function useSkillTool(options: SkillOptions): Tool {
  return defineTool({
    name: options.toolName,
    category: 'skills',
    description:
      'Load a skill of this workspace: instructions for a kind of task, listed in the system prompt. Load it before doing such a task.',
    parameters: {
      name: field(string(), 'The name of the skill'),
      resource: field(
        optional(string()),
        'A file that belongs to the skill, relative to its folder; without it the instructions',
      ),
    },
    async execute({ name, resource }, { workspace, signal }) {
      const { skills } = await findSkills(workspace, options);
      const skill = skills.find((candidate) => candidate.name === name);
      if (skill === undefined) return failure(`There is no skill "${name}". ${available(skills)}`);
      if (resource !== undefined) return readResource(workspace, skill, { resource, limit: options.maxSkillBytes });
      return readInstructions(workspace, skill, { limit: options.maxSkillBytes, signal });
    },
  });
}

async function readInstructions(
  workspace: Workspace,
  skill: Skill,
  { limit, signal }: { limit: number; signal: AbortSignal },
): Promise<ToolOutput> {
  const file = await workspace.read(skill.path, { limit });
  const { body } = splitFrontMatter(file.content);
  const cut = file.truncated ? `\n\n[Cut after ${limit} of ${file.size} bytes.]` : '';
  const resources = await resourcesOf(workspace, skill, signal);
  const list =
    resources.length > 0 ? `\n\nFiles of this skill, to be loaded with "resource":\n${resources.join('\n')}` : '';
  return {
    content: `Skill ${skill.name}\n\n${body.trim()}${cut}${list}`,
    data: { skill: skill.name, path: skill.path },
  };
}

async function readResource(
  workspace: Workspace,
  { name, folder }: Skill,
  { resource, limit }: { resource: string; limit: number },
): Promise<ToolOutput> {
  if (folder === undefined) return failure(`The skill "${name}" is a single file and has no others.`);
  if (resource.split(/[\\/]/).includes('..')) return failure('A resource lies in the folder of its skill.');
  const file = await workspace.read(`${folder}/${resource}`, { limit });
  if (file.binary)
    return failure(`${resource} is not a text file (${file.mimeType}, ${file.size} bytes); its path is ${file.path}.`);
  return file.truncated ? `${file.content}\n\n[Cut after ${limit} of ${file.size} bytes.]` : file.content;
}

async function resourcesOf(workspace: Workspace, { folder, path }: Skill, signal: AbortSignal): Promise<string[]> {
  const found: string[] = [];
  if (folder === undefined) return found;
  for await (const file of workspace.walk(folder, { signal })) {
    if (file.path === path) continue;
    if (found.length === listedResources) return [...found, '...'];
    found.push(`- ${file.path.slice(folder.length + 1)}`);
  }
  return found;
}

function available(skills: readonly Skill[]): string {
  return skills.length === 0
    ? 'This workspace has no skills.'
    : `Skills here: ${skills.map(({ name }) => name).join(', ')}.`;
}

function failure(content: string): ToolOutput {
  return { content, isError: true };
}
