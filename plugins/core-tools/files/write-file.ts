import { defineTool, field, isServiceError, nonempty, string, type Tool } from '../../../lib/plugin-api/index.ts';
import type { CoreToolsOptions } from '../options.ts';
import { type Place, placeOf } from './place.ts';
import { diffTexts } from './text-diff.ts';
import { textOf } from './text-of.ts';

/** The tool `write_file`: replaces a whole file, or makes it with its directories. */
export function createWriteFile(options: CoreToolsOptions): Tool {
  return defineTool({
    name: 'write_file',
    description:
      'Writes a whole file and makes missing directories. Replaces a file that is there; use edit_file to change a part of one.',
    category: 'files',
    parameters: {
      path: field(nonempty(string()), 'Path of the file, relative to the workspace.'),
      content: field(string(), 'The whole content.'),
    },
    async execute({ path, content }, context) {
      const place = placeOf(path, context, options);
      const before = await textBefore(place);
      context.signal.throwIfAborted();
      const { created, bytes } = await place.workspace.write(place.path, content);
      const diff = before === undefined ? undefined : await diffTexts(place.path, before, content);
      return {
        content: `${created ? 'Created' : 'Replaced'} ${path} (${bytes} bytes).`,
        data: { path: place.path, created, bytes, ...diff },
      };
    },
  });
}

/**
 * Empty for a file that is not there yet; undefined for one that can't be compared. Only for the diff: writing decides
 * about errors.
 */
async function textBefore(place: Place): Promise<string | undefined> {
  try {
    return await textOf(place);
  } catch (error) {
    if (isServiceError(error)) return error.code === 'not_found' ? '' : undefined;
    throw error;
  }
}
