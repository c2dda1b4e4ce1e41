import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/**
 * The file that a command would start, as an absolute path: a bare name is looked for in `path` (the form of `PATH`), one
 * with a separator is relative to `directory`. Undefined when there is no such file or it can't be executed.
 */
export async function findProgram(
  command: string,
  { path, directory = process.cwd() }: { path: string; directory?: string },
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
