import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginRoute } from '../../lib/plugin-api/index.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';
import { type BundledPlugin, loadBundled, routeRequest } from './bundled-plugin.ts';

const folder = 'test/plugins/examples';
const load = (
  name: string,
  options: { config?: Record<string, unknown>; workspace?: string } = {},
): Promise<BundledPlugin> => loadBundled(name, { directories: [folder], ...options });

const guide = suite('PLUGINS.md quotes the examples');

guide('every quotation is the file, and every file is quoted', () => {
  const text = readFileSync('PLUGINS.md', 'utf8');
  const quoted = [...text.matchAll(/^```\w+ file=(\S+)\n([\s\S]*?)^```$/gm)];
  for (const [, path = '', content] of quoted) assert.is(content, readFileSync(path, 'utf8'), path);
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  const paths = files.map((entry) => join(entry.parentPath, entry.name)).filter((path) => !isTrivial(path));
  const ofExamples = quoted.flatMap(([, path = '']) => (path.startsWith(folder) ? [path] : []));
  assert.equal(ofExamples.sort(), paths.sort());
});

/** Manifests and empty modules beyond the first say nothing new. */
function isTrivial(path: string): boolean {
  const text = readFileSync(path, 'utf8');
  return (path.endsWith('service.plugin.json') && !/word-count|"web"/.test(text)) || text.trim().length < 40;
}
guide.run();

const examples = suite('The examples do what PLUGINS.md says');

examples('a tool: word-count', async () => {
  const workspace = tempDirectory('example');
  writeFileSync(join(workspace, 'a.txt'), 'one two  three\n');
  const plugin = await load('word-count', { workspace });
  assert.equal(await plugin.call('count_words', { path: 'a.txt' }), {
    content: '3 words',
    data: { path: 'a.txt', words: 3 },
  });
  assert.is((await plugin.call('count_words', {})).isError, true);
  await plugin.close();
  assert.match((await load('word-count', { config: { maxBytes: 'x' } })).info?.error ?? '', /positive whole number/);
});

examples('its test: a stranger runs it as it stands', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--test'], {
    cwd: `${folder}/word-count`,
    encoding: 'utf8',
    timeout: 30_000,
  });
  assert.is(status, 0, stdout + stderr);
  assert.match(stdout, /pass 1/);
});

/** A model server that answers every request in the same way. */
async function modelServer(
  status: number,
  headers: Record<string, string>,
  body: string[],
): Promise<{ server: Server; baseUrl: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, headers);
      for (const text of body) response.write(text);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function completeWith(baseUrl: string): Promise<{ deltas: string; outcome: unknown }> {
  const plugin = await load('line-model', { config: { baseUrl, models: ['liner'] } });
  assert.is(plugin.info?.error, undefined);
  let deltas = '';
  const onDelta = (_: string, text: string): void => {
    deltas += text;
  };
  const io = { signal: new AbortController().signal, onDelta };
  const request = { sessionId: 's', system: '', messages: [{ role: 'user', content: 'hi' } as const], tools: [] };
  const completion = plugin.models.get('liner')?.complete(request, io) ?? Promise.reject(new Error('no model'));
  const outcome = await within(
    5_000,
    completion.catch((error: unknown) => error),
  );
  await plugin.close();
  return { deltas, outcome };
}

examples('a provider: line-model streams, and tells what may be tried again', async () => {
  const good = await modelServer(200, {}, ['Hello ', 'there']);
  const { deltas, outcome } = await completeWith(good.baseUrl);
  assert.is(deltas, 'Hello there');
  assert.equal(outcome, { content: 'Hello there', toolCalls: [], finishReason: 'stop' });
  good.server.close();
  const busy = await modelServer(429, { 'retry-after': '3' }, []);
  const { name, retryable, retryAfterMs } = (await completeWith(busy.baseUrl)).outcome as Record<string, unknown>;
  assert.equal({ name, retryable, retryAfterMs }, { name: 'ProviderError', retryable: true, retryAfterMs: 3_000 });
  busy.server.close();
});

examples('routes: deployments', async () => {
  const plugin = await load('deployments', { config: { secret: '0123456789abcdef' } });
  const [report, list] = plugin.routes as [PluginRoute, PluginRoute];
  const params = { branch: 'main' };
  const { signal } = new AbortController();
  assert.throws(
    () => report.authorize?.({ headers: new Headers({ 'x-deploy-secret': 'wrong' }), params, signal }),
    (error: Error & { status: number }) => error.name === 'ServiceError' && error.status === 401,
  );
  report.authorize?.({ headers: new Headers({ 'x-deploy-secret': '0123456789abcdef' }), params, signal });
  assert.is((await report.handler(routeRequest({ params, body: { version: '1.2' } })))?.status, 201);
  const answer = await list.handler(routeRequest({ principal: { tenantId: 'default', admin: false } }));
  assert.match(JSON.stringify(answer?.body), /"tenant":"default".*"main":\{"version":"1\.2"/);
  await plugin.close();
});

examples('a guard: office-hours', async () => {
  const hour = new Date().getUTCHours();
  const open = await load('office-hours', { config: { from: 0, to: 24 } });
  for (const guard of open.guards) guard({ action: 'run', tenantId: 't' });
  await open.close();
  // A window of one hour that is not now, nor in an hour, in case the clock moves on.
  const from = (hour + 12) % 24;
  const closed = await load('office-hours', { config: { from, to: from + 1 } });
  assert.throws(
    () => closed.guards[0]?.({ action: 'run', tenantId: 't' }),
    (error: Error & { code: string; retryAfterSeconds: number }) =>
      error.name === 'SessionGuardError' && error.code === 'outside_office_hours' && error.retryAfterSeconds > 0,
  );
  closed.guards[0]?.({ action: 'create', tenantId: 't' });
  await closed.close();
});

examples('a prompt: house-rules', async () => {
  const plugin = await load('house-rules', { config: { rules: ['Be brief.'] } });
  assert.equal(await plugin.prompt(), ['Rules of this house:\n- Be brief.']);
  await plugin.close();
});

examples('a browser bundle: reading-time', async () => {
  const plugin = await load('reading-time');
  assert.equal(plugin.info?.web, {
    entry: '/plugins/reading-time/main.js',
    css: ['/plugins/reading-time/style.css'],
    api: [],
    capabilities: [],
  });
  interface Extension {
    slot: string;
    mount(element: object, context: object): () => void;
  }
  const registered: Extension[] = [];
  const source = readFileSync(join(folder, 'reading-time/web/main.js'), 'utf8');
  const copy = join(tempDirectory('bundle'), 'main.mjs');
  writeFileSync(copy, source);
  const bundle = (await import(pathToFileURL(copy).href)) as { default(api: object): void };
  bundle.default({ register: (extension: Extension) => registered.push(extension) });
  const element = { textContent: '', replaceChildren: () => {} };
  registered[0]?.mount(element, { message: { content: 'a b c' } });
  assert.is(element.textContent, '3 words, 1 min');
  await plugin.close();
});
examples.run();
