import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Slots, unlimited } from '../base/slots.ts';
import type { FilePort } from './file-port.ts';
import { ensureDirectory, replaceFile, temporarySuffix } from './replace-file.ts';
import { blobDirectory, layout } from './store-paths.ts';

export interface ImageFiles {
  put(sessionId: string, data: string): Promise<{ hash: string; bytes: number }>;
  read(sessionId: string, hash: string): Promise<string | undefined>;
  remove(sessionId: string): Promise<void>;
  /**
   * Removes what a crash left: unfinished files, and the images of sessions that are not there. One directory after the
   * other, for as long as `goesOn`; what is being written meanwhile is left alone. Resolves to how many it removed.
   */
  sweep(options: { isThere: (sessionId: string) => boolean; goesOn: () => boolean }): Promise<number>;
}

/** Image bytes under their SHA-256, one directory per session: `blobs/<session>/<hash>`. Base64 in, base64 out. */
export function createImageFiles(files: FilePort, root: string, slots: Slots = unlimited): ImageFiles {
  /** What tells the unfinished files of this process from those that an earlier one left. */
  const own = randomBytes(6).toString('hex');
  const removing = new Map<string, Promise<void>>();
  let written = 0;
  return {
    async put(sessionId, data) {
      const directory = blobDirectory(root, sessionId);
      const image = Buffer.from(data, 'base64');
      const hash = createHash('sha256').update(image).digest('hex');
      written += 1;
      const suffix = `.${own}-${written}`;
      await removing.get(sessionId);
      await slots(async () => {
        await ensureDirectory(files, root, directory);
        await replaceFile(files, join(directory, hash), [image], { suffix });
      });
      return { hash, bytes: image.length };
    },
    async read(sessionId, hash) {
      if (!/^[0-9a-f]{64}$/.test(hash)) return undefined;
      const image = await files.read(join(blobDirectory(root, sessionId), hash));
      return image?.toString('base64');
    },
    remove,
    async sweep({ isThere, goesOn }) {
      let removed = 0;
      for (const sessionId of await files.list(join(root, layout.blobs))) {
        if (!goesOn()) break;
        if (!isThere(sessionId)) {
          await remove(sessionId);
          removed += 1;
        } else removed += await removeUnfinished(blobDirectory(root, sessionId));
      }
      return removed;
    },
  };

  /** Whatever is put meanwhile comes behind it. */
  function remove(sessionId: string): Promise<void> {
    const task = files.remove(blobDirectory(root, sessionId)).finally(() => {
      if (removing.get(sessionId) === settled) removing.delete(sessionId);
    });
    const settled = task.catch(() => undefined);
    removing.set(sessionId, settled);
    return task;
  }

  async function removeUnfinished(directory: string): Promise<number> {
    const names = await files.list(directory);
    const left = names.filter((name) => name.endsWith(temporarySuffix) && !name.includes(`.${own}-`));
    for (const name of left) await files.remove(join(directory, name));
    return left.length;
  }
}
