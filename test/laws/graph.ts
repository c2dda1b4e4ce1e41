import { build } from 'esbuild';

/** Run-time imports of one source file: our own files by path, everything else by its specifier. */
export interface Imports {
  own: string[];
  external: string[];
}

/** Every source file with what it imports at run time; type-only imports are erased and do not count. */
export type Graph = Readonly<Record<string, Imports>>;

/** The graph of these files and of all they reach. Built afresh, so that a file that nothing mounts yet is seen too. */
export async function readGraph(files: string[]): Promise<Graph> {
  const { metafile } = await build({
    entryPoints: files,
    outdir: 'unwritten',
    outbase: '.',
    bundle: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    splitting: true,
    loader: { '.svg': 'empty', '.woff2': 'empty', '.png': 'empty' },
    logLevel: 'silent',
  });
  return Object.fromEntries(
    Object.entries(metafile.inputs)
      .filter(([path]) => !path.includes('node_modules/'))
      .map(([path, input]) => [
        path,
        {
          own: input.imports.filter(({ external }) => !external).map((target) => target.path),
          external: input.imports.filter(({ external }) => external).map((target) => target.path),
        },
      ]),
  );
}

/** The run-time import cycles, each written as `a -> b -> a`. */
export function findCycles(graph: Graph): string[] {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, above: string[]): void => {
    const start = above.indexOf(path);
    if (start >= 0) cycles.push([...above.slice(start), path].join(' -> '));
    if (start >= 0 || done.has(path)) return;
    for (const target of graph[path]?.own ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of Object.keys(graph)) visit(path, []);
  return cycles;
}
