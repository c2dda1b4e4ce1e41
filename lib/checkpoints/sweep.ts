import { decodeTree } from './git-tree.ts';
import type { Repository } from './repository.ts';

/**
 * Deletes what no checkpoint refers to: every loose object at once, objects in packs as soon as they are more than a
 * quarter of their pack. The last walk goes too, because it may name objects that are gone.
 */
export async function sweep(repository: Repository): Promise<void> {
  const { index, store } = repository;
  const keep = new Set<string>();
  for (const { sha, tree } of index.records) {
    keep.add(sha);
    await mark(repository, tree, keep);
  }
  await repository.view.writeAll();
  repository.dropStats();
  index.bytes = store.retain(keep);
  index.sweep = false;
  repository.saveIndex();
}

async function mark(repository: Repository, tree: string, keep: Set<string>): Promise<void> {
  if (keep.has(tree)) return;
  keep.add(tree);
  for (const { mode, oid } of decodeTree((await repository.read(tree)).content))
    if (mode === '40000') await mark(repository, oid, keep);
    else keep.add(oid);
}
