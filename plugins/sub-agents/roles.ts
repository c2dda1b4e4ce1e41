import { array, type Infer, nonempty, object, optional, string } from '../../lib/plugin-api/index.ts';

/** A role as the operator configures it. */
export const configuredRole = object({
  /** Instructions for the child, in its system prompt. */
  prompt: nonempty(string()),
  /** What the delegating model is told about the role. Default: the first line of `prompt`. */
  description: optional(nonempty(string())),
  /** The tools it may use, by name; without it all of them. */
  tools: optional(array(nonempty(string()))),
  /** Default: the model of the session that delegates. */
  model: optional(nonempty(string())),
});

export type Role = Infer<typeof configuredRole>;
export type Roles = ReadonlyMap<string, Role>;

export const defaultRole = 'general';

const looking = ['read_file', 'list_files', 'find_files', 'search_files', 'memory_search', 'memory_list', 'use_skill'];

const builtIn: Readonly<Record<string, Role>> = {
  general: {
    description: 'any self-contained task, with every tool',
    prompt: 'Do the task with whatever tools it takes.',
  },
  researcher: {
    description: 'finds things out in files and on the web, changes nothing',
    prompt:
      'Find out what is asked. Look at the sources themselves, name the files, lines or addresses that each finding rests on, and keep what you know apart from what you suppose.',
    tools: [...looking, 'web_fetch', 'browser_open', 'browser_read', 'browser_click', 'browser_type', 'browser_close'],
  },
  reviewer: {
    description: 'examines work that was done and reports its faults, changes nothing',
    prompt:
      'Examine what you are pointed at and report its faults, the gravest first, each with its place and its consequence. Check a suspicion before you report it. When you find nothing wrong, say so and say what you looked at.',
    tools: looking,
  },
  implementer: {
    description: 'changes files to reach a stated goal and verifies the result',
    prompt:
      'Make the change that is asked and nothing beyond it. Read before you write, verify the result, and report which files you changed and how you checked it.',
  },
};

/** The built-in roles with the configured ones over them. */
export function rolesOf(configured: Readonly<Record<string, Role>>): Roles {
  return new Map(Object.entries({ ...builtIn, ...configured }));
}

/** One line per role for the delegating model. */
export function rolesText(roles: Roles): string {
  return [...roles].map(([name, role]) => `- ${name}: ${role.description ?? firstLine(role.prompt)}`).join('\n');
}

/** The system prompt of a child session. */
export function promptOf(role: Role): string {
  return `You are a sub-agent: another agent gave you one task, and nobody can answer questions.
Work the task through to its end. Your last message is the whole result that the other agent sees, so put into it what was asked and nothing else.

${role.prompt}`;
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0]?.slice(0, 200) ?? '';
}
