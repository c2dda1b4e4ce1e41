import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { globSync } from '../glob.mjs';
import { within } from '../helpers/within.ts';
import { type Installed, installLocked, installPacked } from './pack.ts';

const test = suite('The packed package works in an empty folder');

let installed: Installed;
test.before(() => {
  installed = installPacked();
});

test('npx agent-session-service --port 0 starts it, with its console and its plugins', async () => {
  const env = { PATH: process.env.PATH ?? '', HOME: installed.folder };
  const child = spawn('npx', ['--no-install', 'agent-session-service', '--port', '0'], {
    cwd: installed.folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close');
  let output = '';
  const listening = new Promise<string>((found) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /http:\S+/.exec(output)?.[0];
      if (url) found(url);
    });
  });
  try {
    const url = await within(20_000, listening, 'the address');
    assert.match(await (await fetch(url)).text(), /<!doctype html>/i);
    const { plugins } = (await (await fetch(`${url}/api/plugins`)).json()) as { plugins: { state: string }[] };
    assert.is(plugins.length, globSync('plugins', /service\.plugin\.json$/).length);
    assert.equal(
      plugins.filter(({ state }) => state !== 'active'),
      [],
    );
  } finally {
    if (child.pid) process.kill(-child.pid, 'SIGTERM');
    await within(10_000, ended, 'the end of the service');
  }
});

/** What the README shows to programmers, as a program of a stranger. */
const program = `
import { createApp } from 'agent-session-service';
import { createClient } from 'agent-session-service/client';
import { loadConfig } from 'agent-session-service/config';
import { createFetch } from 'agent-session-service/fetch';
import createSession from 'agent-session-service/handlers/sessions/create';
import { defineTool } from 'agent-session-service/plugin';
import { createRouter } from 'agent-session-service/router';
import { handlers } from 'agent-session-service/routes';
import { serve } from 'agent-session-service/serve';

const { config } = loadConfig({ env: {}, cwd: process.cwd() });
const app = await createApp({ config });
const request = new Request('http://localhost/api/sessions', { method: 'POST' });
const response = await createFetch([createSession], app)(request);
const { session } = await response.json();
const listening = await serve(createRouter(handlers, app), app, { host: '127.0.0.1', port: 0 });
const client = createClient({ baseUrl: 'http://127.0.0.1:' + listening.port, token: process.env.NO_SUCH_TOKEN });
const { status, message } = await client.sendAndWait(session.id, 'list files');
console.log(JSON.stringify({ created: response.status, status, content: message?.content, defines: typeof defineTool }));
await listening.close();
await app.close();
`;

test('its exports serve a program that imports them', () => {
  writeFileSync(join(installed.folder, 'program.mjs'), program);
  const options = { cwd: installed.folder, encoding: 'utf8', timeout: 20_000 } as const;
  const { stdout, stderr, status } = spawnSync(process.execPath, ['program.mjs'], options);
  assert.is(status, 0, stderr);
  const { created, status: end, content, defines } = JSON.parse(stdout);
  assert.equal([created, end, defines], [201, 'completed', 'function']);
  assert.match(content, 'program.mjs');
});

test('its types serve the same program, and what README.md shows', () => {
  const shown = Array.from(readFileSync('README.md', 'utf8').matchAll(/```ts\n(.*?)```/gs), ([, text = '']) => text);
  const samples = [program, ...shown].map((text, at): [string, string] => [`program-${at}.mts`, text]);
  assert.is(samples.length, 3);
  for (const [name, text] of samples) writeFileSync(join(installed.folder, name), text);
  const typeRoots = resolve('node_modules/@types');
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    module: 'nodenext',
    noEmit: true,
    types: ['node'],
    typeRoots: [typeRoots],
  };
  writeFileSync(
    join(installed.folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: [...samples.map(([name]) => name), 'typed.mts'] }),
  );
  writeFileSync(
    join(installed.folder, 'typed.mts'),
    `import { createApp, type AppOptions } from 'agent-session-service';
export const version: Promise<string> = createApp({} as AppOptions).then((app) => app.version);
export const wrong: Promise<number> = createApp({} as AppOptions).then((app) => app.version);\n`,
  );
  const tsc = spawnSync(resolve('node_modules/.bin/tsc'), ['-p', '.'], { cwd: installed.folder, encoding: 'utf8' });
  const errors = tsc.stdout.match(/^\S+: error.*$/gm) ?? [];
  assert.is(errors.length, 1, tsc.stdout);
  assert.match(errors[0] ?? '', /^typed\.mts\(3,/);
});

test('it brings what it needs and nothing of the workshop', () => {
  const { files, root } = installed;
  for (const needed of [
    'README.md',
    'LICENSE',
    'dist/host/main.js',
    'dist/host/program.code',
    'dist/public/index.html',
  ])
    assert.ok(files.includes(needed), `${needed} is missing`);
  for (const manifest of globSync('plugins', /service\.plugin\.json$/)) assert.ok(files.includes(`dist/${manifest}`));
  for (const options of globSync('plugins', /README\.md$/)) assert.ok(files.includes(options), options);
  const strange = files.filter((path) => /meta\.json$|\.test\.|(?<!\.d)\.ts$|node_modules|^test|^\./.test(path));
  assert.equal(strange, []);
  const here = [process.cwd(), process.env.HOME ?? '/root'].filter((path) => path.length > 1);
  const leaks = files.filter((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return here.some((place) => text.includes(`${place}/`)) || /"sources":\[[^\]]*"(?:\/|file:)/.test(text);
  });
  assert.equal(leaks, []);
});

interface Locked {
  version?: string;
  dev?: boolean;
  optional?: boolean;
}

test('unpacked, it is installed with exactly the versions of its lock file, which names no registry', () => {
  const text = readFileSync(join(installed.root, 'npm-shrinkwrap.json'), 'utf8');
  assert.is(text, readFileSync('package-lock.json', 'utf8'));
  assert.not.match(text, '"resolved"');
  if (!process.env.CI) return console.log('SKIPPED npm ci of the tarball: only in CI');
  const folder = installLocked(installed.tarball);
  if (folder === undefined) return console.log('SKIPPED npm ci of the tarball: the registry does not answer');
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
  for (const [path, { version, dev, optional }] of Object.entries(packages)) {
    const manifest = join(folder, path, 'package.json');
    if (dev) assert.not.ok(existsSync(manifest), `${path} is for the workshop`);
    else if (!optional) assert.is(JSON.parse(readFileSync(manifest, 'utf8')).version, version, path);
  }
  const { stdout } = spawnSync(process.execPath, ['dist/host/main.js', '--version'], { cwd: folder, encoding: 'utf8' });
  assert.match(stdout, packages['']?.version ?? 'a version');
});

test.run();
