import type { Workspace } from '../../lib/plugin-api/index.ts';
import { parseFrontMatter } from './front-matter.ts';

/** A skill of a workspace: a folder with a `SKILL.md`, or a single Markdown file. */
export interface Skill {
  /** What the model calls it: from the front matter, otherwise the name of folder or file. */
  name: string;
  /** One line, at most 300 characters. */
  description: string;
  /** The file with the instructions, relative to the workspace. */
  path: string;
  /** The folder whose files belong to the skill; absent for a single file. */
  folder?: string;
}

const frontMatterBytes = 8_192;
const nameRule = /^[\w][\w.-]{0,63}$/;

/**
 * The skills of a workspace, in the order of `directories` and then by name, at most `maxSkills`. Of two with one name the
 * first counts. Directories that are missing or lie outside hold none. Reads only the beginning of each file. `looked` are
 * all paths that the answer depends on.
 */
export async function findSkills(
  workspace: Workspace,
  { directories, maxSkills }: { directories: readonly string[]; maxSkills: number },
): Promise<{ skills: Skill[]; looked: string[] }> {
  const skills = new Map<string, Skill>();
  const looked: string[] = [];
  for (const directory of directories) {
    looked.push(directory);
    const listing = await workspace.list(directory).catch(() => undefined);
    for (const entry of listing?.entries ?? []) {
      if (skills.size >= maxSkills) break;
      looked.push(fileOf(entry));
      const skill = await readSkill(workspace, entry);
      if (skill !== undefined && !skills.has(skill.name)) skills.set(skill.name, skill);
    }
  }
  return { skills: [...skills.values()], looked };
}

function fileOf({ path, type }: { path: string; type: 'file' | 'directory' }): string {
  return type === 'directory' ? `${path}/SKILL.md` : path;
}

async function readSkill(
  workspace: Workspace,
  entry: { name: string; path: string; type: 'file' | 'directory' },
): Promise<Skill | undefined> {
  const isFolder = entry.type === 'directory';
  if (!isFolder && !entry.name.endsWith('.md')) return undefined;
  const path = fileOf(entry);
  const file = await workspace.read(path, { limit: frontMatterBytes }).catch(() => undefined);
  if (file === undefined || file.binary) return undefined;
  const { name, description, body } = await parseFrontMatter(file.content);
  const ownName = isFolder ? entry.name : entry.name.slice(0, -3);
  const chosen = name !== undefined && nameRule.test(name) ? name : ownName;
  if (!nameRule.test(chosen)) return undefined;
  return {
    name: chosen,
    description: oneLine(description ?? firstLine(body)),
    path,
    ...(isFolder ? { folder: entry.path } : {}),
  };
}

function firstLine(body: string): string {
  return (
    body
      .split('\n')
      .map((line) => line.replace(/^#+\s*/, '').trim())
      .find((line) => line !== '') ?? ''
  );
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 297)}...` : line;
}
