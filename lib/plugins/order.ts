/** What the order needs to know of a plugin. */
export interface Ordered {
  id: string;
  manifest?: { dependencies: readonly string[] };
}

/** Providers register their models in this order, so the first configured one yields the default model. */
const first = ['chat-completions', 'messages-api'];
/** Looks at what all others registered. */
const last = ['demo-model'];

/**
 * Dependencies before dependents; otherwise the order of discovery, with the bundled providers in front and the demo
 * model behind everything. Members of a cycle come in any order: they are refused when their turn comes.
 */
export function loadOrder<P extends Ordered>(plugins: readonly P[]): P[] {
  const byId = new Map(plugins.map((plugin) => [plugin.id, plugin]));
  const ordered = new Set<P>();
  const visiting = new Set<P>();
  const visit = (plugin: P): void => {
    if (ordered.has(plugin) || visiting.has(plugin)) return;
    visiting.add(plugin);
    for (const id of plugin.manifest?.dependencies ?? []) {
      const dependency = byId.get(id);
      if (dependency !== undefined) visit(dependency);
    }
    ordered.add(plugin);
  };
  for (const plugin of plugins.toSorted((a, b) => rank(a.id) - rank(b.id))) visit(plugin);
  return [...ordered];
}

/** The ids of a dependency cycle through this plugin, beginning and ending with it; undefined when there is none. */
export function cycleThrough(id: string, plugins: ReadonlyMap<string, Ordered>): string[] | undefined {
  const seen = new Set<string>();
  const search = (at: string, path: string[]): string[] | undefined => {
    for (const next of plugins.get(at)?.manifest?.dependencies ?? []) {
      if (next === id) return [...path, id];
      if (seen.has(next)) continue;
      seen.add(next);
      const found = search(next, [...path, next]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(id, [id]);
}

function rank(id: string): number {
  if (first.includes(id)) return first.indexOf(id) - first.length;
  return last.includes(id) ? 1 : 0;
}
