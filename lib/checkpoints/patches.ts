import { createTwoFilesPatch } from 'diff';
import type { FileChange } from '../wire/checkpoint.ts';
import { createDirectoryCursor } from './directory-cursor.ts';
import type { RawPath } from './raw-path.ts';
import { readNow } from './read-now.ts';
import type { Repository } from './repository.ts';
import type { SnapshotFile } from './snapshot-node.ts';

/** The unified diffs of one comparison. */
export interface Patches {
  of(
    change: FileChange,
    file: { path: RawPath; before: SnapshotFile | undefined; after: SnapshotFile | undefined },
  ): Promise<Pick<FileChange, 'patch' | 'omitted'>>;
  close(): void;
}

const most = { fileBytes: 256 * 1024, bytes: 2 * 1024 * 1024, fileMs: 200, ms: 3_000 };

/**
 * Makes diffs within bounds of size and time, counted from now. A file of the workspace is read there, as it is at that moment:
 * what nobody captured is not stored for an answer.
 */
export function createPatches(repository: Repository, workspace: string): Patches {
  const end = performance.now() + most.ms;
  const cursor = createDirectoryCursor(workspace);
  let bytesLeft = most.bytes;

  const contentOf = async (path: RawPath, file: SnapshotFile): Promise<Buffer | undefined> =>
    file.node
      ? readNow(cursor, path, { kind: file.kind, most: most.fileBytes })
      : (await repository.read(file.oid)).content;

  return {
    async of(change, { path, before, after }) {
      if (bytesLeft <= 0 || performance.now() >= end) return { omitted: 'limit' };
      if ((change.before ?? 0) + (change.after ?? 0) > most.fileBytes) return { omitted: 'large' };
      const from = before ? await contentOf(path, before) : Buffer.alloc(0);
      const to = after ? await contentOf(path, after) : Buffer.alloc(0);
      // It went away, or grew, since it was looked at.
      if (!from || !to) return { omitted: 'limit' };
      const [old, now] = [textOf(from), textOf(to)];
      if (old === undefined || now === undefined) return { omitted: 'binary' };
      const names = [before ? `a/${change.path}` : '/dev/null', after ? `b/${change.path}` : '/dev/null'] as const;
      const patch = createTwoFilesPatch(...names, old, now, undefined, undefined, {
        context: 3,
        timeout: most.fileMs,
        headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
      });
      bytesLeft -= patch?.length ?? 0;
      return patch === undefined ? { omitted: 'limit' } : { patch };
    },
    close: () => cursor.close(),
  };
}

/** Undefined for what is no text: a NUL byte, or no UTF-8. */
function textOf(content: Buffer): string | undefined {
  if (content.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return undefined;
  }
}
