import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findCycles, type Graph, readGraph } from './graph.ts';
import { findLayerFaults, levels } from './layers.ts';
import { readSources } from './sources.ts';

const test = suite('imports go down only');

const graph = await readGraph(readSources().map(({ path }) => path));

test('no file imports what stands above or beside it', () => {
  assert.equal(findLayerFaults(withoutTypes(graph)), []);
});

test('there are no import cycles', () => {
  assert.equal(findCycles(graph), []);
});

test('lib/app.ts names everything and is nothing at run time', () => {
  const importers = Object.entries(graph).filter(([, { own }]) => own.includes('lib/app.ts'));
  assert.equal(importers, []);
  assert.equal(graph['lib/app.ts'], { own: [], external: [] });
});

test('the build that ships has the same imports as the sources', () => {
  const meta: { inputs: Record<string, { imports: { path: string; external?: boolean }[] }> } = JSON.parse(
    readFileSync('dist/meta.json', 'utf8'),
  );
  for (const [path, { imports }] of Object.entries(meta.inputs)) {
    if (path.includes('node_modules/')) continue;
    const own = imports.map((target) => target.path).filter((target) => target in graph);
    assert.equal(own, graph[path]?.own, `${path} was built from other sources: run the build again`);
  }
});

test('the laws see every folder of lib', () => {
  const folders = new Set(readSources().map(({ path }) => path.split('/').slice(0, 2).join('/')));
  const unknown = [...folders].filter((folder) => folder.startsWith('lib/') && folder !== 'lib/app.ts');
  for (const folder of unknown) assert.ok(folder in levels || folder === 'lib/client', `${folder} has no level`);
});

// Graphs that break the law on purpose: each must be found, or the tests above prove nothing.
const bad: [string, Graph, RegExp][] = [
  ['an import upwards', edge('lib/store/a.ts', 'lib/run/b.ts'), /lib\/store\/a.ts must not import lib\/run\/b.ts/],
  ['an import of a neighbour', edge('lib/store/a.ts', 'lib/events/b.ts'), /must not import lib\/events/],
  ['a handler that reaches past the service', edge('handlers/a.ts', 'lib/run/b.ts'), /must not import lib\/run/],
  ['a handler that imports a handler', edge('handlers/x/a.ts', 'handlers/x/b.ts'), /must not import handlers/],
  ['a plugin that knows the inside', edge('plugins/a/index.ts', 'lib/tools/tool.ts'), /must not import lib\/tools/],
  ['a plugin that takes a back door', edge('plugins/a/index.ts', 'lib/plugin-api/plugin.ts'), /must not import/],
  ['a plugin that imports a plugin', edge('plugins/a/index.ts', 'plugins/b/index.ts'), /must not import plugins\/b/],
  ['a console that imports the server', edge('public/app.ts', 'lib/service/a.ts'), /must not import lib\/service/],
  ['somebody who imports the host', edge('lib/plugins/a.ts', 'host/main.ts'), /must not import host/],
  ['an unknown folder', edge('lib/misc/a.ts', 'lib/wire/b.ts'), /do not know/],
  ['a vocabulary that needs Node', external('lib/wire/a.ts', 'node:fs'), /must not import node:fs/],
  ['a client with a dependency', external('lib/client/a.ts', 'ulid'), /must not import ulid/],
];

for (const [what, faulty, fault] of bad)
  test(`${what} is found`, () => {
    assert.match(findLayerFaults(faulty).join('\n'), fault);
  });

test('imports downwards, inside a folder and of packages are fine', () => {
  const fine = [
    edge('lib/run/a.ts', 'lib/store/b.ts'),
    edge('lib/run/a.ts', 'lib/run/b.ts'),
    edge('plugins/a/index.ts', 'plugins/a/part.ts'),
    edge('plugins/a/index.ts', 'lib/plugin-api/index.ts'),
    edge('host/a.ts', 'handlers/b.ts'),
    external('lib/store/a.ts', 'node:fs'),
  ];
  for (const graph of fine) assert.equal(findLayerFaults(graph), []);
});

test('a cycle is found, however long', () => {
  const cyclic = { ...edge('lib/run/a.ts', 'lib/run/b.ts'), ...edge('lib/run/b.ts', 'lib/run/a.ts') };
  assert.equal(findCycles(cyclic), ['lib/run/a.ts -> lib/run/b.ts -> lib/run/a.ts']);
  assert.equal(findCycles(edge('lib/run/a.ts', 'lib/run/b.ts')), []);
});

function edge(from: string, to: string): Graph {
  return { [from]: { own: [to], external: [] } };
}

function external(from: string, name: string): Graph {
  return { [from]: { own: [], external: [name] } };
}

function withoutTypes(whole: Graph): Graph {
  return Object.fromEntries(Object.entries(whole).filter(([path]) => path !== 'lib/app.ts'));
}

test.run();
