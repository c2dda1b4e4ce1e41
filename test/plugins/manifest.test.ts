import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Manifest, parseManifest } from '../../lib/plugins/manifest.ts';

function parse(manifest: unknown): Manifest & { warnings: string[] } {
  const warnings: string[] = [];
  return { ...parseManifest(JSON.stringify(manifest), (message) => warnings.push(message)), warnings };
}

const web = suite('The manifest field `web` of a plugin');

web('a bare string means the entry', () => {
  assert.equal(parse({ name: 'a', web: 'main.js' }).web, { entry: 'main.js', css: [], capabilities: [] });
});

web('an object carries entry, css, grants and capabilities', () => {
  const given = {
    entry: './lib/main.js',
    css: ['a.css', 'themes/b.css'],
    api: ['GET /api/**'],
    capabilities: ['composer.submit'],
  };
  assert.equal(parse({ name: 'a', web: given }).web, { ...given, entry: 'lib/main.js' });
});

web('absent `api` stays absent, an empty one stays empty, and a wrong one grants nothing', () => {
  assert.is(parse({ name: 'a', web: { entry: 'a.js' } }).web?.api, undefined);
  assert.equal(parse({ name: 'a', web: { entry: 'a.js', api: [] } }).web?.api, []);
  assert.equal(parse({ name: 'a', web: { entry: 'a.js', api: 'GET /api/**' } }).web?.api, []);
});

for (const path of [
  '/etc/passwd',
  '../a.js',
  'lib/../../a.js',
  'C:\\a.js',
  'c:a.js',
  '\\\\host\\a.js',
  'lib\\..\\a.js',
  'a\0.js',
  '',
])
  web(`the path ${JSON.stringify(path)} is dropped with a warning`, () => {
    const { web: bundle, warnings } = parse({ name: 'a', web: { entry: 'a.js', css: [path, 'ok.css'] } });
    assert.equal(bundle?.css, ['ok.css']);
    assert.is(warnings.length, 1);
    assert.is(parse({ name: 'a', web: path }).web, undefined);
  });

web('unknown capabilities are dropped with a warning', () => {
  const { web: bundle, warnings } = parse({
    name: 'a',
    web: { entry: 'a.js', capabilities: ['composer.submit', 'root'] },
  });
  assert.equal(bundle?.capabilities, ['composer.submit']);
  assert.equal(warnings, ['the capability "root" is unknown and was dropped.']);
});
web.run();

const manifest = suite('A manifest needs a name');

manifest('the rest is optional', () => {
  assert.equal(parse({ name: 'a' }), { name: 'a', version: '0.0.0', dependencies: [], warnings: [] });
});

manifest('what is wrong is named', () => {
  const refused = (value: unknown): string => {
    try {
      parse(value);
      return 'accepted';
    } catch (error) {
      return (error as Error).message;
    }
  };
  assert.match(refused({}), /"name"/);
  assert.match(refused({ name: '' }), /"name"/);
  assert.match(refused({ name: '..' }), /no plugin name/);
  assert.match(refused({ name: 'a\nb' }), /"name"/);
  assert.match(refused({ name: 'a', dependencies: 'b' }), /"dependencies"/);
  assert.match(refused({ name: 'a', main: '../b.js' }), /"main"/);
  assert.match(refused([]), /not valid/);
});
manifest.run();
