import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findModuleState } from './module-state.ts';
import {
  findBarrels,
  findLongFiles,
  findMachinePaths,
  findPluginImports,
  findSuppressions,
  readEditedFiles,
  readSource,
  readSources,
  rootNames,
  trackedFiles,
} from './sources.ts';

const test = suite('the sources keep the house laws');
const sources = readSources();
const tracked = trackedFiles();
if (!tracked) console.log('SKIPPED the laws about tracked files: git is not installed, or this is no checkout');

test('no file is longer than 250 lines', () => {
  assert.equal(findLongFiles(readEditedFiles()), []);
});

test('there is one barrel, lib/plugin-api/index.ts', () => {
  assert.equal(sources.flatMap(findBarrels), []);
});

test('nothing silences the compiler or the linter', () => {
  assert.equal(readEditedFiles().flatMap(findSuppressions), []);
});

test('no module keeps state', () => {
  const modules = sources.filter(({ path }) => !path.endsWith('.worker.ts'));
  assert.equal(
    modules.flatMap(({ path, text }) => findModuleState(path, text)),
    [],
  );
});

test('plugins know the plugin API and themselves only, types included', () => {
  assert.equal(sources.filter(({ path }) => path.startsWith('plugins/')).flatMap(findPluginImports), []);
});

test('the root of the repository holds what everybody expects there', () => {
  const names = new Set(tracked?.map((path) => path.split('/')[0] ?? ''));
  assert.equal(
    [...names].filter((name) => !rootNames.has(name)),
    [],
  );
});

test('no tracked file names a path of one machine', () => {
  const texts = tracked?.filter((path) => /\.(tsx?|mjs|js|json|md|html|css|sh)$|\/run$/.test(path)) ?? [];
  assert.equal(texts.map(readSource).flatMap(findMachinePaths), []);
});

test('packages come from the public registry', () => {
  const hosts = readSource('package-lock.json').text.matchAll(/"resolved": "(https?:\/\/[^/"]+)/g);
  const strange = [...hosts].map((match) => match[1]).filter((host) => host !== 'https://registry.npmjs.org');
  assert.equal([...new Set(strange)], []);
});

test('the lock file holds every platform package, or npm ci refuses it', () => {
  const lock: { packages: Record<string, { optionalDependencies?: object }> } = JSON.parse(
    readSource('package-lock.json').text,
  );
  const missing = Object.entries(lock.packages).flatMap(([name, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((wanted) => !(`node_modules/${wanted}` in lock.packages) && name !== ''),
  );
  assert.equal(missing, []);
});

// Sources that break a law on purpose: each must be found, or the tests above prove nothing.
const source = (text: string, path = 'lib/run/a.ts') => ({ path, text });

test('a file of 251 lines is found, one of 250 is fine', () => {
  assert.is(findLongFiles([source('x\n'.repeat(251))]).length, 1);
  assert.equal(findLongFiles([source('x\n'.repeat(250))]), []);
});

test('re-exports are found, types and the one barrel are fine', () => {
  for (const text of ["export * from './b.ts';", "export { b } from './b.ts';", "export {\n  b,\n} from './b.ts';"])
    assert.is(findBarrels(source(text)).length, 1, text);
  assert.equal(findBarrels(source("export type { B } from './b.ts';")), []);
  assert.equal(findBarrels(source("export { b } from './b.ts';", 'lib/plugin-api/index.ts')), []);
});

test('suppressions are found', () => {
  const words = { '@ts-': ['ignore', 'expect-error', 'nocheck'], 'biome-': ['ignore'], 'eslint-': ['disable'] };
  for (const [start, ends] of Object.entries(words))
    for (const end of ends) assert.is(findSuppressions(source(`// ${start}${end} because\n`)).length, 1, start + end);
});

test('module state is found', () => {
  const stateful = [
    'let count = 0;',
    'export let count = 0;',
    'const seen = new Map<string, number>();',
    'const bus = new EventEmitter();',
    'const seen = new Set(["a"]);\nexport const see = (name: string) => seen.add(name);',
    'export const seen = new Set(["a"]);',
    'const list: string[] = [];\nexport function add() {\n  list.push("a");\n}',
    'const table = {};\nexport function set(key: string) {\n  table[key] = 1;\n}',
    'const table = { n: 0 };\nexport function next() {\n  return table.n++;\n}',
  ];
  for (const text of stateful) assert.is(findModuleState('lib/run/a.ts', text).length, 1, text);
});

test('constants are fine', () => {
  const constant = [
    'const names: ReadonlySet<string> = new Set(["a"]);',
    'const names = new Set(["a"]);\nexport const has = (name: string) => names.has(name);',
    'const encoder = new TextEncoder();',
    'const table = { a: 1 };\nexport const read = () => table.a === 1;',
    'export function count() {\n  let n = 0;\n  const seen = new Map();\n  return [n++, seen];\n}',
  ];
  for (const text of constant) assert.equal(findModuleState('lib/run/a.ts', text), [], text);
});

test('a plugin that looks inside is found, even for a type', () => {
  const peek = "import type { Tool } from '../../lib/tools/tool.ts';";
  assert.is(findPluginImports(source(peek, 'plugins/a/index.ts')).length, 1);
  const fine = "import { defineTool } from '../../lib/plugin-api/index.ts';\nimport { b } from './b.ts';";
  assert.equal(findPluginImports(source(fine, 'plugins/a/index.ts')), []);
});

test('machine paths are found', () => {
  for (const path of [`${process.cwd()}/x`, ['', 'home', 'ada', 'x'].join('/'), ['', 'root', 'x'].join('/')])
    assert.is(findMachinePaths(source(`const a = '${path}';`)).length, 1, path);
  for (const path of [
    ['', 'tmp', 'x'],
    ['a', 'work', 'x'],
  ])
    assert.equal(findMachinePaths(source(`const a = '${path.join('/')}';`)), [], path.join('/'));
});

test('the linter refuses `any` and non-null assertions', () => {
  for (const text of ['export const a: any = 1;\n', 'export const a = (b?: string) => b!;\n']) {
    const biome = 'node_modules/@biomejs/biome/bin/biome';
    const lint = spawnSync(process.execPath, [biome, 'lint', '--stdin-file-path=lib/run/a.ts'], { input: text });
    assert.not.equal(lint.status, 0, text);
  }
});

test.run();
