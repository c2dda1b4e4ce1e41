import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a directory with all that is missing above it; one that is there stays as it is. Rejects with the system's error
 * of the first that can't be made. Node's own `recursive` never ends where a file system takes no directories, as below
 * /proc, and keeps a thread busy with it.
 */
export async function makeDirectory(path: string, { mode = 0o777 }: { mode?: number } = {}): Promise<void> {
  if (await isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) await makeDirectory(above, { mode });
  try {
    await mkdir(path, { mode });
  } catch (error) {
    if (!(await isDirectory(path))) throw error;
  }
}

function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
