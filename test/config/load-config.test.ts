import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { load, refusal, valueAt } from './load.ts';

const defaults = suite('Without a file, variables or flags every key has the default of the contract');

const contractDefaults: Record<string, unknown> = {
  'server.host': '127.0.0.1',
  'server.port': 7331,
  'server.token': '',
  'server.corsOrigins': ['*'],
  'server.corsOriginsExplicit': false,
  'server.bodyLimitBytes': 10_485_760,
  'server.webRoot': '/package/dist/public',
  'server.crossSiteGuard': 'auto',
  'model.default': undefined,
  'model.temperature': undefined,
  'model.maxTokens': undefined,
  'model.maxSteps': 40,
  'agent.workspace': '/work-place',
  'agent.systemPrompt': '',
  'agent.compaction': { enabled: true, threshold: 0.8, keepRecent: 8, fallbackContextWindow: 128_000 },
  'agent.retry': { attempts: 3, baseDelayMs: 500, maxDelayMs: 8_000 },
  'plugins.directories': ['/work-place/plugins'],
  'plugins.allow': undefined,
  'plugins.config': {},
  'plugins.hotReload': false,
  'plugins.hotReloadIntervalMs': 1_000,
  'storage.directory': '/work-place/.service',
  'storage.driver': 'file',
  'storage.durability': 'full',
  'storage.minFreeBytes': 67_108_864,
  'storage.reserveBytes': 33_554_432,
  'auth.mode': 'none',
  'auth.bootstrapToken': '',
  'auth.bootstrapName': 'Admin',
  'auth.workspaces': {},
  'approvals.timeoutMs': 900_000,
  'checkpoints.enabled': 'auto',
  'checkpoints.maxFiles': 20_000,
  'checkpoints.exclude': [],
  'log.level': 'info',
  'log.format': 'text',
};

for (const [key, value] of Object.entries(contractDefaults)) {
  defaults(key, () => {
    const { config, warnings } = load();
    assert.equal(valueAt(config, key), value);
    assert.equal(warnings, []);
  });
}

defaults('a program gives its settings instead of a file, under the same rules', () => {
  const settings = { name: 'Mine', server: { port: 1, token: 'a-token' }, sotrage: {} };
  const { config, warnings } = load({ file: { name: 'not read' }, settings, env: { SERVICE_PORT: '2' } });
  assert.equal([config.name, config.server.port, config.auth.mode], ['Mine', 2, 'token']);
  assert.equal(settings.server, { port: 1, token: 'a-token' });
  assert.match(warnings.join(), 'the object of settings: unknown key "sotrage"');
  assert.match(refusal({ settings: { server: { port: 'x' } } }), '"server.port" must be');
});

defaults('two loads share nothing', () => {
  load().config.server.corsOrigins.push('https://other.example');
  assert.equal(load().config.server.corsOrigins, ['*']);
});

defaults.run();

const variables = suite('Each environment variable sets its key');

const settings: [variable: string, text: string, key: string, value: unknown][] = [
  ['SERVICE_HOST', ' 0.0.0.0 ', 'server.host', '0.0.0.0'],
  ['SERVICE_PORT', '8080', 'server.port', 8080],
  ['SERVICE_PORT', '0', 'server.port', 0],
  ['SERVICE_TOKEN', 'operator-secret', 'server.token', 'operator-secret'],
  [
    'SERVICE_CORS_ORIGINS',
    ' https://a.example ,, https://b.example,',
    'server.corsOrigins',
    ['https://a.example', 'https://b.example'],
  ],
  ['SERVICE_CORS_ORIGINS', ' , ', 'server.corsOrigins', []],
  ['SERVICE_MODEL', 'large', 'model.default', 'large'],
  ['SERVICE_WORKSPACE', 'code', 'agent.workspace', '/work-place/code'],
  ['SERVICE_WORKSPACE', '/elsewhere', 'agent.workspace', '/elsewhere'],
  ['SERVICE_SYSTEM_PROMPT', 'Be brief, please.', 'agent.systemPrompt', 'Be brief, please.'],
  ['SERVICE_PLUGINS', 'extra, /opt/more', 'plugins.directories', ['/work-place/extra', '/opt/more']],
  ['SERVICE_HOT_RELOAD', 'true', 'plugins.hotReload', true],
  ['SERVICE_HOT_RELOAD', '1', 'plugins.hotReload', true],
  ['SERVICE_HOT_RELOAD', 'off', 'plugins.hotReload', false],
  ['SERVICE_HOT_RELOAD_INTERVAL_MS', '2000', 'plugins.hotReloadIntervalMs', 2_000],
  ['SERVICE_DATA_DIR', 'data', 'storage.directory', '/work-place/data'],
  ['SERVICE_STORAGE_DRIVER', 'sqlite', 'storage.driver', 'sqlite'],
  ['SERVICE_STORAGE_DRIVER', 'PGlite', 'storage.driver', 'sqlite'],
  ['SERVICE_CHECKPOINTS', 'auto', 'checkpoints.enabled', 'auto'],
  ['SERVICE_CHECKPOINTS', 'on', 'checkpoints.enabled', true],
  ['SERVICE_CHECKPOINTS', 'OFF', 'checkpoints.enabled', false],
  ['SERVICE_CHECKPOINTS_MAX_FILES', '5', 'checkpoints.maxFiles', 5],
  ['SERVICE_AUTH_MODE', 'accounts', 'auth.mode', 'accounts'],
  ['SERVICE_BOOTSTRAP_TOKEN', 'first-admin', 'auth.bootstrapToken', 'first-admin'],
  ['SERVICE_LOG_LEVEL', 'debug', 'log.level', 'debug'],
  ['SERVICE_LOG_FORMAT', 'json', 'log.format', 'json'],
];

for (const [variable, text, key, value] of settings) {
  variables(`${variable}=${text}`, () => {
    assert.equal(valueAt(load({ env: { [variable]: text } }).config, key), value);
  });
}

variables('an empty variable is one that is not set', () => {
  const env = Object.fromEntries(settings.map(([variable]) => [variable, '']));
  assert.equal(load({ env }).config, load().config);
});

variables('an empty SERVICE_TOKEN switches a token of the file off', () => {
  const { config } = load({ file: { server: { token: 'from-the-file' } }, env: { SERVICE_TOKEN: '' } });
  assert.is(config.server.token, '');
  assert.is(config.auth.mode, 'none');
});

variables('a misspelt variable is pointed out, a foreign one is not', () => {
  const { warnings } = load({ env: { SERVICE_PROT: '1', SERVICE_MESH_ENABLED: 'yes' } });
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', /SERVICE_PROT .*SERVICE_PORT/);
});

variables.run();

const precedence = suite('Precedence: defaults, file, environment');

precedence('the file beats the default, the environment beats the file', () => {
  const file = { server: { port: 1111, host: '10.0.0.1' } };
  assert.is(load({ file }).config.server.port, 1111);
  const { server } = load({ file, env: { SERVICE_PORT: '2222' } }).config;
  assert.equal([server.port, server.host], [2222, '10.0.0.1']);
});

precedence('one key of a section leaves the defaults of the others', () => {
  const { config } = load({ file: { agent: { retry: { attempts: 1 } } } });
  assert.equal(config.agent.retry, { attempts: 1, baseDelayMs: 500, maxDelayMs: 8_000 });
});

precedence('a list replaces the default list', () => {
  assert.equal(load({ file: { plugins: { directories: [] } } }).config.plugins.directories, []);
});

precedence('origins that were set are told from the default', () => {
  assert.ok(load({ file: { server: { corsOrigins: ['*'] } } }).config.server.corsOriginsExplicit);
  assert.ok(load({ env: { SERVICE_CORS_ORIGINS: '*' } }).config.server.corsOriginsExplicit);
});

precedence.run();

const files = suite('The configuration file');

files('a missing default file is ignored', () => {
  assert.is(load().config.server.port, 7331);
});

files('a named file must exist', () => {
  const message = refusal({ env: { SERVICE_CONFIG: 'other.json' } });
  assert.match(message, '/work-place/other.json');
  assert.match(message, 'does not exist');
});

files('a named file is read instead of the default one', () => {
  const readFile = (path: string) => (path === '/etc/service.json' ? '{"name":"Named"}' : '{"name":"Default"}');
  assert.is(load({ env: { SERVICE_CONFIG: '/etc/service.json' }, readFile }).config.name, 'Named');
});

files('broken JSON is refused with its line and without its text', () => {
  const message = refusal({ file: '{\n "server": {"token": "canary-secret" "port": 1}\n}' });
  assert.match(message, 'line 2');
  assert.not.match(message, 'canary');
});

files('a byte order mark does not matter', () => {
  assert.is(load({ file: '\uFEFF{"name":"Marked"}' }).config.name, 'Marked');
});

for (const content of ['[]', '"text"', '3', 'null'])
  files(`${content} is no configuration`, () => assert.match(refusal({ file: content }), 'one JSON object'));

files('a file that cannot be read is refused', () => {
  const readFile = () => {
    throw Object.assign(new Error('no'), { code: 'EACCES' });
  };
  assert.match(refusal({ readFile }), 'cannot be read (EACCES)');
});

files.run();

const derived = suite('Values that follow from others');

derived('mode is token when there is a token, none without; an explicit mode wins', () => {
  assert.is(load({ env: { SERVICE_TOKEN: 'operator' } }).config.auth.mode, 'token');
  assert.is(load({ env: { SERVICE_TOKEN: 'operator', SERVICE_AUTH_MODE: 'none' } }).config.auth.mode, 'none');
  assert.is(load({ env: { SERVICE_TOKEN: 'operator', SERVICE_AUTH_MODE: 'accounts' } }).config.auth.mode, 'accounts');
});

derived('an empty token disables mode token, and says so', () => {
  const { config, warnings } = load({ env: { SERVICE_AUTH_MODE: 'token' } });
  assert.is(config.auth.mode, 'none');
  assert.match(warnings.join(), 'authentication is OFF');
});

derived('the web root is used where it exists; else the console of the package is', () => {
  const isDirectory = (path: string) => path === '/work-place/site';
  assert.is(load({ file: { server: { webRoot: 'site' } }, isDirectory }).config.server.webRoot, '/work-place/site');
  const { config, warnings } = load({ file: { server: { webRoot: 'missing' } }, isDirectory });
  assert.is(config.server.webRoot, '/package/dist/public');
  assert.match(warnings.join(), '/work-place/missing');
});

derived('a default workspace that is not there is told at the start, and may come later', () => {
  const { config, warnings } = load({ file: { agent: { workspace: 'typo' } } });
  assert.is(config.agent.workspace, '/work-place/typo');
  assert.match(warnings.join(), /"agent.workspace" is not a directory \(\/work-place\/typo\)/);
});

derived('a hot reload interval below 250 ms is clamped with a warning', () => {
  const { config, warnings } = load({ file: { plugins: { hotReload: true, hotReloadIntervalMs: 10 } } });
  assert.is(config.plugins.hotReloadIntervalMs, 250);
  assert.match(warnings.join(), 'hotReloadIntervalMs');
});

derived('tenant directories are absolute', () => {
  assert.equal(load({ file: { auth: { workspaces: { acme: 'a', b: '/b' } } } }).config.auth.workspaces, {
    acme: '/work-place/a',
    b: '/b',
  });
});

derived.run();
