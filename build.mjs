// One esbuild run, with splitting: every handler, worker, plugin and program is an entry; what they share is a chunk.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildSeed } from './lib/store/sql/build-seed.mjs';
import { globSync } from './test/glob.mjs';

const quiet = process.argv.includes('--quiet');
const started = performance.now();

const entries = [
  ...globSync('handlers', /\.ts$/),
  ...globSync('lib', /\.worker\.ts$/),
  ...globSync('plugins', /\/index\.ts$|\.worker\.ts$/),
  // What package.json exports of lib.
  ...['lib/http/create-fetch.ts', 'lib/http/router.ts', 'lib/config/load-config.ts'],
  'lib/plugin-api/index.ts',
];
// What it exports of host: outside `dist/host`, whose files are CommonJS.
const exported = ['create-app', 'routes', 'serve'].map((name) => ({ in: `host/${name}.ts`, out: `library/${name}` }));

// Small libraries are bundled, which halves the start; these are large, or bring files of their own, and are loaded when needed.
const external = ['yaml', '@electric-sql/pglite', 'playwright-core', '@modelcontextprotocol/*'];

await rm('dist', { recursive: true, force: true });
await mkdir('dist', { recursive: true });
const common = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  mainFields: ['module', 'main'],
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
};
const modules = {
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
};
const result = await build({
  ...common,
  ...modules,
  entryPoints: [...entries.map((file) => ({ in: file, out: file.replace(/\.ts$/, '') })), ...exported],
  outdir: 'dist',
  outbase: '.',
  splitting: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
});
// By itself and without anything of Node: browsers take it, too, bundled or as it is.
const client = await build({
  ...common,
  platform: 'neutral',
  target: 'es2022',
  entryPoints: ['lib/client/index.ts'],
  outfile: 'dist/lib/client/index.js',
  metafile: true,
});
// The program once more, with the bundled plugins, as one file that the launcher takes from compiled code: opening and
// compiling a hundred files is half of a start. Code from a cache can't import, so what stays outside is required. Both are
// CommonJS: Node opens its first file 4 ms sooner when that is no module.
const bundledPlugins = globSync('plugins', /^plugins\/[^/]+\/index\.ts$/);
const lazily = bundledPlugins.map((file) => `'${file.replace(/ts$/, 'js')}': () => import('./${file}'),`);
const program = {
  ...common,
  format: 'cjs',
  sourcemap: false,
  minifySyntax: true,
  minifyWhitespace: true,
  // Before anything else: behind another statement the directive, which modules do not need, says nothing.
  banner: { js: "'use strict'; const programUrl = require('node:url').pathToFileURL(__filename).href;" },
  define: { 'import.meta.url': 'programUrl' },
};
const { metafile: programMeta } = await build({
  ...program,
  stdin: {
    contents: `export { start } from './host/main.ts';\nexport const modules = {\n${lazily.join('\n')}\n};`,
    resolveDir: '.',
  },
  supported: { 'dynamic-import': false },
  outfile: 'dist/host/program.cjs',
  metafile: true,
});
await build({ ...program, entryPoints: { main: 'host/launch.ts' }, outdir: 'dist/host' });
await writeFile('dist/host/package.json', '{ "type": "commonjs" }\n');
const { '<stdin>': _, ...programInputs } = programMeta.inputs;
const inputs = { ...result.metafile.inputs, ...client.metafile.inputs, ...programInputs };
await writeFile('dist/meta.json', JSON.stringify({ ...result.metafile, inputs }));
for (const manifest of globSync('plugins', /service\.plugin\.json$/)) await cp(manifest, `dist/${manifest}`);
const page = await build({
  entryPoints: globSync('public', /^public\/[^/]+\.(tsx|css|worker\.ts)$/),
  outdir: 'dist/public',
  outbase: 'public',
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  chunkNames: 'chunks/[name]-[hash]',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
});
await writeFile('dist/public-meta.json', JSON.stringify(page.metafile));
await cp('public/index.html', 'dist/public/index.html');
// The script inside the sandbox document, whose policy lists its hash.
const sandbox = await build({
  entryPoints: ['public/sandbox/bootstrap.ts'],
  bundle: true,
  format: 'iife',
  target: 'es2022',
  minify: true,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
});
const script = sandbox.outputFiles[0].text.trim();
if (/<\/script|<!--/i.test(script)) throw new Error('The sandbox bootstrap can not stand inside a script element.');
const sha256 = createHash('sha256').update(script).digest('base64');
await mkdir('dist/sandbox', { recursive: true });
await writeFile('dist/sandbox/bootstrap.json', JSON.stringify({ script, sha256 }));
await buildSeed('dist/lib/store/sql/seed.gz');
await build({ ...program, entryPoints: ['host/build-code.ts'], outfile: 'dist/host/build-code.js' });
const directory = await mkdtemp(join(tmpdir(), 'service-build-'));
try {
  const words = ['dist/host/build-code.js', 'dist/host/program.cjs', 'dist/host/program.code', directory];
  const env = { PATH: process.env.PATH, SERVICE_LOG_LEVEL: 'error' };
  for (const _ of ['without sessions', 'with the one that the first has made'])
    execFileSync(process.execPath, words, { env });
} catch (error) {
  console.warn(`The service could not run here to be compiled, and will start slower: ${error.message}`);
}
await rm('dist/host/build-code.js');
await rm(directory, { recursive: true, force: true });
if (!quiet) console.log(`Built ${entries.length} entries into dist/ in ${Math.round(performance.now() - started)} ms.`);
