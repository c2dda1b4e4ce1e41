import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Replaces a file so that a crash leaves the old or the new content, never a mixture; durable when it resolves (file
 * and directory are synced). Calls for one path must not overlap. Missing directories are made for this user only.
 */
export async function writeFileAtomic(path: string, content: string, { mode }: { mode: number }): Promise<void> {
  const directory = dirname(path);
  const temporary = temporaryOf(path);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await rm(temporary, { force: true });
  const file = await open(temporary, 'wx', mode);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path);
  const parent = await open(directory, 'r');
  try {
    await parent.sync();
  } finally {
    await parent.close();
  }
}

/** Drops what a crash in the middle of {@link writeFileAtomic} left. For the start of a process, before the first write. */
export function dropUnfinished(path: string): Promise<void> {
  return rm(temporaryOf(path), { force: true });
}

function temporaryOf(path: string): string {
  return `${path}.tmp`;
}
