import {
  array,
  defaulted,
  defineTool,
  enums,
  field,
  nonempty,
  object,
  optional,
  size,
  string,
  type Tool,
} from '../../lib/plugin-api/index.ts';
import type { Children } from './children.ts';
import type { Options } from './options.ts';
import { batchText, dataOf, succeeded, textOf } from './result.ts';
import { defaultRole, type Roles, rolesText } from './roles.ts';

/** `delegate` and `delegate_many`: the model hands work to child sessions and gets their last words as the result. */
export function delegateTools(children: Children, roles: Roles, options: Options): Tool[] {
  const fields = {
    task: field(
      size(string(), 1, 100_000),
      'The whole task: what to do, what you know already, what to report back. The sub-agent sees nothing of this conversation.',
    ),
    role: field(defaulted(enums([...roles.keys()]), defaultRole), 'The role that suits the task'),
    title: field(optional(size(nonempty(string()), 1, 200)), 'A few words for the people who watch'),
  };
  const limits = { each: options.maxResultChars, all: options.maxBatchResultChars };
  const refuseTooDeep = (depth = 0): void => {
    if (depth >= options.maxDepth)
      throw new Error(`Sub-agents at depth ${depth} can't delegate any further; do the task yourself.`);
  };
  return [
    defineTool({
      name: 'delegate',
      category: 'delegation',
      description: `Hands one self-contained task to a sub-agent with a session of its own in the same workspace, waits for it and returns its result. Use it for work that would fill this conversation with details. Roles:\n${rolesText(roles)}`,
      parameters: fields,
      async execute(task, context) {
        refuseTooDeep(context.session.depth);
        const result = await children.whileWaiting(context, () => children.run(task, context));
        return { content: textOf(result, limits.each), isError: !succeeded(result), data: dataOf([result]) };
      },
    }),
    defineTool({
      name: 'delegate_many',
      category: 'delegation',
      description: `Hands several independent tasks to sub-agents at the same time (at most ${options.maxFanOut}), waits for all of them and returns their results in the order of the tasks. The tasks must not depend on each other or change the same files. Roles as in delegate.`,
      parameters: {
        tasks: field(size(array(object(fields)), 1, options.maxFanOut), 'The tasks'),
      },
      async execute({ tasks }, context) {
        refuseTooDeep(context.session.depth);
        const results = await children.whileWaiting(context, () =>
          Promise.all(tasks.map((task) => children.run(task, context))),
        );
        return { content: batchText(results, limits), data: dataOf(results) };
      },
    }),
  ];
}
