import { readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globSync } from '../glob.mjs';

const test = suite('The program that people start is one file, which code from a cache can run');

const path = resolve('dist/host/program.cjs');
const program = readFileSync(path, 'utf8');

test('it holds every bundled plugin, under the path at which the plugin also lies as a file', () => {
  const plugins = globSync('plugins', /^plugins\/[^/]+\/index\.ts$/);
  assert.ok(plugins.length >= 12);
  for (const file of plugins) assert.ok(program.includes(`"${file.replace(/ts$/, 'js')}":`), file);
});

test('what is not part of it can be required, with the names that its users want', async () => {
  const require = createRequire(path);
  const names = new Set([...program.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name));
  const libraries = [...names].filter((name) => !name.startsWith('node:') && !builtinModules.includes(name));
  assert.ok(libraries.includes('yaml') && libraries.includes('playwright-core'), libraries.join());
  for (const name of libraries) {
    const required = Object.keys(require(name) as object);
    const imported = Object.keys((await import(name)) as object).filter((key) => !isInterop(key));
    for (const key of imported) assert.ok(required.includes(key), `${name} lacks ${key} when it is required`);
  }
});

test('it runs in strict mode, like the modules that the tests import', () => {
  const start = readFileSync(resolve('dist/host/main.js'), 'utf8').split('\n')[1] ?? '';
  for (const text of [program, start]) assert.match(text, /^'use strict';/);
});

test('it is ASCII, as which the launcher reads it', () => {
  assert.is(
    readFileSync(path).findIndex((byte) => byte > 127),
    -1,
  );
});

/** Names that only one of the two module systems has. */
function isInterop(key: string): boolean {
  return key === 'default' || key === 'module.exports' || key === '__esModule';
}

test.run();
