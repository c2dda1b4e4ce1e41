import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { type Slots, unlimited } from '../base/slots.ts';
import type { FilePort } from './file-port.ts';
import { ensureDirectory, replaceFile } from './replace-file.ts';
import { blobDirectory } from './store-paths.ts';

export interface ImageFiles {
  put(sessionId: string, data: string): Promise<{ hash: string; bytes: number }>;
  read(sessionId: string, hash: string): Promise<string | undefined>;
  remove(sessionId: string): Promise<void>;
}

/** Image bytes under their SHA-256, one directory per session: `blobs/<session>/<hash>`. Base64 in, base64 out. */
export function createImageFiles(files: FilePort, root: string, slots: Slots = unlimited): ImageFiles {
  let written = 0;
  return {
    async put(sessionId, data) {
      const directory = blobDirectory(root, sessionId);
      const image = Buffer.from(data, 'base64');
      const hash = createHash('sha256').update(image).digest('hex');
      written += 1;
      const suffix = `.${written}`;
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
    remove: (sessionId) => files.remove(blobDirectory(root, sessionId)),
  };
}
