import { decodeTree } from './git-tree.ts';
import type { Repository } from './repository.ts';

/**
 * Deletes what no checkpoint refers to: every loose object at once, objects in packs as soon as they are more than a
 * quarter of their pack. The last walk goes too, because it may name objects that are gone.
 */
export async function sweep(repository: Repository, progress: () => void): Promise<void> {
  const { index, store } = repository;
  const keep = new Set<string>();
  for (const { sha, tree } of index.records) {
    keep.add(sha);
    await mark(repository, tree, { keep, progress });
  }
  await repository.view.writeAll();
  repository.dropStats();
  index.bytes = store.retain(keep);
  index.sweep = false;
  repository.saveIndex();
}

interface Marking {
  keep: Set<string>;
  progress: () => void;
}

async function mark(repository: Repository, tree: string, marking: Marking): Promise<void> {
  const { keep, progress } = marking;
  if (keep.has(tree)) return;
  progress();
  keep.add(tree);
  for (const { mode, oid } of decodeTree((await repository.read(tree)).content))
    if (mode === '40000') await mark(repository, oid, marking);
    else keep.add(oid);
}
