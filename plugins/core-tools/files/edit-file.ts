import { boolean, defaulted, defineTool, field, nonempty, string, type Tool } from '../../../lib/plugin-api/index.ts';
import type { CoreToolsOptions } from '../options.ts';
import { placeOf } from './place.ts';
import { replaceText } from './replace-text.ts';
import { diffTexts } from './text-diff.ts';
import { textOf } from './text-of.ts';

/** The tool `edit_file`: what is to be replaced must be there exactly, and once unless all are meant. */
export function createEditFile(options: CoreToolsOptions): Tool {
  return defineTool({
    name: 'edit_file',
    description:
      'Replaces text in a file. old_string must be in the file exactly, with its blanks and line breaks, and only once unless replace_all is set.',
    category: 'files',
    parameters: {
      path: field(nonempty(string()), 'Path of the file, relative to the workspace.'),
      old_string: field(string(), 'The text to replace, exactly as it is in the file.'),
      new_string: field(string(), 'What to put there; empty removes the text.'),
      replace_all: field(defaulted(boolean(), false), 'Replace every occurrence.'),
    },
    async execute({ path, old_string, new_string, replace_all }, context) {
      const place = placeOf(path, context, options);
      const before = await textOf(place);
      if (before === undefined) return { content: `${path} is not UTF-8 text and can't be edited.`, isError: true };
      const result = replaceText(before, { oldString: old_string, newString: new_string, replaceAll: replace_all });
      if ('problem' in result) return { content: result.problem, isError: true };
      context.signal.throwIfAborted();
      await place.workspace.write(place.path, result.text);
      const diff = await diffTexts(place.path, before, result.text);
      const where = result.count === 1 ? `line ${result.lines[0]}` : `${result.count} places`;
      return {
        content: `Changed ${path} at ${where}.`,
        data: { path: place.path, replacements: result.count, ...diff },
      };
    },
  });
}
