import { readlinkSync } from 'node:fs';
import type { DirectoryCursor } from './directory-cursor.ts';
import { baseName, parentPath, type RawPath } from './raw-path.ts';
import { readFileIn } from './read-file-in.ts';
import { isGone } from './refusal.ts';

/**
 * The content of a file, or the target of a link, as it is now. No link is followed. Undefined for what is gone, of another
 * kind, or larger than `most` bytes by now.
 */
export function readNow(
  workspace: DirectoryCursor,
  path: RawPath,
  { kind, most }: { kind: 'file' | 'link'; most: number },
): Buffer | undefined {
  try {
    const directory = workspace.open(parentPath(path));
    const name = baseName(path);
    return kind === 'link'
      ? readlinkSync(directory.at(name), { encoding: 'buffer' })
      : readFileIn(directory, name, most)?.content;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}
