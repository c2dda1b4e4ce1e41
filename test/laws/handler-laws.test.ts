import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { RouteSpec } from '../../lib/http/endpoint.ts';
import { globSync } from '../glob.mjs';

const test = suite('every file in handlers/ is one standalone handler');
const files = globSync('handlers', /\.ts$/);
const methods = ['GET', 'POST', 'PATCH', 'DELETE'];

/** What is wrong with what a handler file exports. */
function findHandlerFaults(path: string, exported: Record<string, unknown>): string[] {
  const handler = exported.default;
  const others = Object.keys(exported).filter((name) => name !== 'default');
  if (others.length > 0) return [`${path} exports more than its handler: ${others.join(', ')}`];
  if (typeof handler !== 'function') return [`${path} has no default handler`];
  const route = 'route' in handler ? (handler.route as Partial<RouteSpec>) : {};
  if (!methods.includes(route.method ?? '')) return [`${path} names no method of the contract`];
  if (!route.path?.startsWith('/')) return [`${path} names no path`];
  if (!['public', 'user', 'admin'].includes(route.access ?? '')) return [`${path} does not say who may call it`];
  return [];
}

/** What is wrong with how the mount table names handler files: each is imported once and stands in the table once. */
function findMountFaults(paths: string[], table: string): string[] {
  return paths.flatMap((path) => {
    const imports = [...table.matchAll(/^import (\w+) from '\.\.\/(handlers\/[^']+)'/gm)];
    const names = imports.filter((match) => match[2] === path).map((match) => match[1] ?? '');
    if (names.length !== 1) return [`${path} is imported ${names.length} times`];
    const uses =
      table.replace(/^import .*$|\/\*[\s\S]*?\*\/|\/\/.*$/gm, '').match(new RegExp(`\\b${names[0]}\\b`, 'g'))?.length ??
      0;
    return uses === 1 ? [] : [`${path} is mounted ${uses} times`];
  });
}

if (files.length === 0) console.log('SKIPPED the laws of handlers: there are none yet');
else if (!existsSync('host/routes.ts')) console.log('SKIPPED the mounting law: host/routes.ts is not there yet');

for (const path of files)
  test(`${path} exports a handler with its route and can be loaded alone`, async () => {
    const built = pathToFileURL(resolve('dist', path.replace(/\.ts$/, '.js'))).href;
    assert.equal(findHandlerFaults(path, { ...(await import(built)) }), []);
  });

test('every handler is an entry of the build', () => {
  const meta: { outputs: Record<string, { entryPoint?: string }> } = JSON.parse(readFileSync('dist/meta.json', 'utf8'));
  const entries = new Set(Object.values(meta.outputs).map(({ entryPoint }) => entryPoint));
  assert.equal(
    files.filter((path) => !entries.has(path)),
    [],
  );
});

test('every handler is mounted exactly once', () => {
  if (!existsSync('host/routes.ts')) return;
  assert.equal(findMountFaults(files, readFileSync('host/routes.ts', 'utf8')), []);
});

test('no two handlers answer the same method and path', async () => {
  const seen: string[] = [];
  for (const path of files) {
    const { default: handler } = await import(pathToFileURL(resolve('dist', path.replace(/\.ts$/, '.js'))).href);
    seen.push(`${handler.route.method} ${handler.route.path.replace(/:\w+/g, ':')}`);
  }
  assert.equal(
    seen.filter((route, at) => seen.indexOf(route) !== at),
    [],
  );
});

test('faulty handler files are found', () => {
  const handler = Object.assign(() => new Response(), { route: { method: 'GET', path: '/a', access: 'user' } });
  assert.equal(findHandlerFaults('handlers/a.ts', { default: handler }), []);
  const faulty = [
    {},
    { default: () => {} },
    { default: handler, helper: 1 },
    { default: Object.assign(() => {}, { route: { ...handler.route, method: 'PUT' } }) },
    { default: Object.assign(() => {}, { route: { ...handler.route, access: undefined } }) },
  ];
  for (const exported of faulty) assert.is(findHandlerFaults('handlers/a.ts', exported).length, 1);
});

test('unmounted and doubly mounted handlers are found', () => {
  const table = (uses: string) => `import a from '../handlers/a.ts';\nexport const routes = [${uses}];\n`;
  assert.equal(findMountFaults(['handlers/a.ts'], table('a')), []);
  assert.is(findMountFaults(['handlers/a.ts'], table('a, a')).length, 1);
  assert.is(findMountFaults(['handlers/a.ts'], table('')).length, 1);
  assert.is(findMountFaults(['handlers/a.ts'], '').length, 1);
});

test.run();
