import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionDetail } from '../../lib/wire/session.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import type { TestApp } from '../helpers/test-app.ts';
import type { Effect } from './with-key.ts';

const directories = { a: tempDirectory('a'), b: tempDirectory('b') };
for (const [name, directory] of Object.entries(directories)) {
  mkdirSync(join(directory, name, 'web'), { recursive: true });
  writeFileSync(join(directory, name, 'service.plugin.json'), JSON.stringify({ name, version: '1.0.0' }));
  const tool = `{ name: 'say_${name}', description: String(options.word), parameters: { type: 'object' }, execute: () => '' }`;
  writeFileSync(
    join(directory, name, 'index.js'),
    `export default { apply({ use, options }) { use('tools').register(${tool}); } };`,
  );
  writeFileSync(join(directory, 'index.html'), `page ${name}`);
}

const foreign = { origin: 'https://app.example', 'sec-fetch-site': 'cross-site' };
const statusOf = (headers: Record<string, string>) => async (service: TestApp) =>
  (await service.fetch('/api/sessions', { headers })).status;
const tools = async (service: TestApp) => {
  const { tools } = await service.call<{ tools: { name: string; description: string }[] }>('GET', '/api/bootstrap', {});
  return tools.map(({ name, description }) => `${name}: ${description}`);
};

/** The keys about the service as a whole, its callers and its plugins. */
export const serverEffects: readonly Effect[] = [
  {
    key: 'name',
    values: [undefined, 'My agents'],
    sees: ['Agent Session Service', 'My agents'],
    observe: async (service) => (await service.call('GET', '/api/health', {})).name,
  },
  {
    key: 'server.token',
    values: ['', 'operator-token'],
    sees: [200, 401],
    observe: statusOf({}),
  },
  {
    key: 'server.corsOrigins',
    values: [['https://app.example'], ['https://other.example']],
    sees: ['https://app.example', null],
    observe: async (service) =>
      (await service.fetch('/api/health', { headers: foreign })).headers.get('access-control-allow-origin'),
  },
  {
    key: 'server.bodyLimitBytes',
    values: [100, 10_000],
    sees: [413, 201],
    observe: async (service) =>
      (await service.fetch('/api/sessions', { method: 'POST', body: JSON.stringify({ title: 'x'.repeat(190) }) }))
        .status,
  },
  {
    key: 'server.webRoot',
    values: [directories.a, directories.b],
    sees: ['page a', 'page b'],
    observe: async (service) => (await service.fetch('/')).text(),
  },
  {
    key: 'server.allowedHosts',
    values: [[], ['agents.example']],
    sees: [403, 200],
    observe: statusOf({ host: 'agents.example' }),
  },
  { key: 'server.crossSiteGuard', values: ['auto', 'off'], sees: [403, 200], observe: statusOf(foreign) },
  {
    key: 'plugins.directories',
    values: [[], [directories.a, directories.b]],
    sees: [[], ['say_a: undefined', 'say_b: undefined']],
    observe: tools,
  },
  {
    key: 'plugins.allow',
    values: [['a', 'b'], ['b']],
    sees: [['say_a: undefined', 'say_b: undefined'], ['say_b: undefined']],
    options: () => ({ settings: { plugins: { directories: [directories.a, directories.b] } } }),
    observe: tools,
  },
  {
    key: 'plugins.config',
    values: [{}, { a: { word: 'ahoy' } }],
    sees: [['say_a: undefined'], ['say_a: ahoy']],
    options: () => ({ settings: { plugins: { directories: [directories.a] } } }),
    observe: tools,
  },
  {
    key: 'auth.mode',
    values: ['none', 'accounts'],
    sees: [200, 401],
    options: () => ({ settings: { auth: { bootstrapToken: 'first-administrator' } } }),
    observe: statusOf({}),
  },
  {
    key: 'auth.bootstrapToken',
    values: ['first-administrator', 'another-administrator'],
    sees: [200, 401],
    options: () => ({ settings: { auth: { mode: 'accounts' } } }),
    observe: statusOf({ authorization: 'Bearer first-administrator' }),
  },
  {
    key: 'auth.bootstrapName',
    values: [undefined, 'Ada'],
    sees: ['Admin', 'Ada'],
    options: () => ({ settings: { auth: { mode: 'accounts', bootstrapToken: 'first-administrator' } } }),
    observe: async (service) =>
      (
        await service.call<{ user: { name: string } }>('GET', '/api/auth/me', {
          headers: { authorization: 'Bearer first-administrator' },
        })
      ).user.name,
  },
  {
    key: 'auth.workspaces',
    values: [{ default: directories.a }, { default: directories.b }],
    sees: [directories.a, directories.b],
    options: () => ({ settings: { auth: { mode: 'accounts', bootstrapToken: 'first-administrator' } } }),
    observe: async (service) =>
      (
        await service.call<{ session: SessionDetail }>('POST', '/api/sessions', {
          status: 201,
          headers: { authorization: 'Bearer first-administrator' },
        })
      ).session.workspace,
  },
  {
    key: 'checkpoints.enabled',
    values: [false, true],
    sees: [false, true],
    async observe(service) {
      const { id } = await service.newSession();
      return (await service.call('GET', `/api/sessions/${id}/checkpoints`, {})).enabled;
    },
  },
  {
    key: 'plugins.hotReload',
    values: [false, true],
    sees: [false, true],
    async observe(service) {
      const answer = await service.fetch('/api/plugins/events');
      let text = '';
      for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += chunk;
        if (text.includes('"ready"')) break;
      }
      return text.includes('"enabled":true');
    },
  },
];
