import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globSync } from '../glob.mjs';

const readme = suite('The README of a bundled plugin names its options');

for (const manifest of globSync('plugins', /service\.plugin\.json$/)) {
  const folder = manifest.replace(/\/service\.plugin\.json$/, '');
  readme(folder, async () => {
    const { default: plugin } = await import(pathToFileURL(resolve('dist', folder, 'index.js')).href);
    assert.ok(existsSync(`${folder}/README.md`), `${folder} needs a README.md`);
    if (plugin.options === undefined) return;
    const { schema } = plugin.options;
    const rows = readFileSync(`${folder}/README.md`, 'utf8').match(/^\| `.*$/gm) ?? [];
    const named = rows.flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name]) => name));
    const missing = Object.keys(schema).filter((name) => !named.includes(name));
    // The options of the bridge are its servers, whose settings the table shows.
    assert.equal(missing, folder === 'plugins/mcp-bridge' ? ['servers'] : []);
    for (const [name, value] of Object.entries(plugin.options.create({}))) {
      if (typeof value !== 'number') continue;
      const row = rows.find((each) => each.split('|')[1]?.includes(`\`${name}\``));
      assert.match(row ?? '', new RegExp(`\\b${value}\\b`), `${name} of ${folder}`);
    }
  });
}

readme.run();
