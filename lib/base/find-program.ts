import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where programs are on a system that does not say. */
export const usualPath = '/usr/local/bin:/usr/bin:/bin';

/**
 * The file that a command would start, as an absolute path: a bare name is looked for in `path` (default: `PATH`), one
 * with a separator is relative to `directory`. Undefined when there is no such file or it can't be executed.
 */
export async function findProgram(
  command: string,
  {
    path = process.env.PATH ?? usualPath,
    directory = process.cwd(),
  }: { path?: string | undefined; directory?: string } = {},
): Promise<string | undefined> {
  const isBare = !command.includes('/') && !isAbsolute(command);
  const places = isBare ? path.split(delimiter).filter((folder) => folder !== '') : [''];
  for (const place of places) {
    const file = resolve(directory, join(place, command));
    if (await isExecutable(file)) return file;
  }
  return undefined;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
