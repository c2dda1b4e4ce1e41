import type { SessionRecord } from '../../wire/session.ts';

/** What tells where a session stands in a tree of delegations. */
export type Kin = Pick<SessionRecord, 'tenantId' | 'parentId'>;

/**
 * The sessions that can't be where they say they are, with the reason: children of another tenant's session, and those that
 * are their own ancestors. What a parent's cancellation or deletion does to its children would go too far, or never end.
 * A parent that is nowhere is none.
 */
export function strayChildren(
  sessions: ReadonlyMap<string, Kin>,
  find: (id: string) => Kin | undefined,
): Map<string, string> {
  const stray = new Map<string, string>();
  const fine = new Set<string>();
  for (const [id, { tenantId, parentId }] of sessions) {
    const parent = parentId === undefined ? undefined : find(parentId);
    if (parent && parent.tenantId !== tenantId) stray.set(id, 'its parent belongs to another tenant');
    else if (isOwnAncestor(id)) stray.set(id, 'it is its own ancestor');
  }
  return stray;

  function isOwnAncestor(id: string): boolean {
    const way = new Set<string>();
    for (let at: string | undefined = id; at !== undefined && !fine.has(at); at = find(at)?.parentId) {
      if (way.has(at)) return true;
      way.add(at);
    }
    for (const each of way) fine.add(each);
    return false;
  }
}
