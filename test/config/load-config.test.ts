import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { load, nested, refusal, valueAt } from './load.ts';

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

const unknown = suite('An unknown key is a warning that names the nearest known key');

for (const [file, suggestion] of [
  [{ server: { prot: 1 } }, 'server.port'],
  [{ port: 1 }, 'server.port'],
  [{ sever: {} }, 'server'],
  [{ agent: { compaction: { treshold: 0.5 } } }, 'agent.compaction.threshold'],
  [{ plugins: { hotreload: true } }, 'plugins.hotReload'],
] as const)
  unknown(JSON.stringify(file), () => {
    const { warnings } = load({ file });
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', `did you mean "${suggestion}"?`);
  });

unknown('far from everything: no guess, and never the value', () => {
  const { warnings } = load({ file: { entirelyDifferent: 'canary-secret' } });
  assert.match(warnings[0] ?? '', '"entirelyDifferent" is ignored');
  assert.not.match(warnings[0] ?? '', /did you mean|canary/);
});

unknown('plugin options and tenant directories are open', () => {
  const { warnings } = load({
    file: { $schema: 'x', plugins: { config: { any: { thing: 1 } } }, auth: { workspaces: { acme: '/srv/acme' } } },
  });
  assert.equal(warnings, []);
});

unknown.run();

const wrong = suite('A wrong value ends the start with exit 78, naming key and rule');

const wrongValues: [key: string, value: unknown, rule: string][] = [
  ['name', '', 'text that is not empty'],
  ['server', 5, 'an object'],
  ['server.host', '', 'text that is not empty'],
  ['server.port', '7331', 'a whole number from 0 to 65535, but /work-place/service.config.json gives text'],
  ['server.port', -1, 'a negative number'],
  ['server.port', 65_536, 'from 0 to 65535'],
  ['server.port', 80.5, 'a fraction'],
  ['server.port', null, 'gives null'],
  ['server.token', 5, 'text'],
  ['server.corsOrigins', '*', 'a list of texts'],
  ['server.corsOrigins', [''], 'a list of texts'],
  ['server.bodyLimitBytes', 0, 'a whole number from 1'],
  ['server.webRoot', '', 'text that is not empty'],
  ['server.crossSiteGuard', 'on', '"auto", "off"'],
  ['server.drainMs', -5, 'a whole number from 0'],
  ['model.default', '', 'text that is not empty'],
  ['model.temperature', 2.1, 'a number from 0 up to 2'],
  ['model.temperature', 'hot', 'a number from 0 up to 2'],
  ['model.maxTokens', 0, 'a whole number of at least 1'],
  ['model.maxSteps', 0, 'a whole number of at least 1'],
  ['model.maxSteps', 1.5, 'a whole number of at least 1'],
  ['agent.workspace', false, 'text that is not empty'],
  ['agent.systemPrompt', [], 'text'],
  ['agent.compaction.enabled', 'yes', 'true or false'],
  ['agent.compaction.threshold', 0, 'a number above 0 up to 1'],
  ['agent.compaction.threshold', 1.01, 'a number above 0 up to 1'],
  ['agent.compaction.keepRecent', -1, 'a whole number of at least 0'],
  ['agent.compaction.fallbackContextWindow', 0, 'a whole number of at least 1'],
  ['agent.retry.attempts', 0, 'a whole number of at least 1'],
  ['agent.retry.baseDelayMs', -1, 'a whole number of at least 0'],
  ['agent.retry.maxDelayMs', 0.5, 'a whole number of at least 0'],
  ['plugins.directories', 'plugins', 'a list of texts'],
  ['plugins.allow', {}, 'a list of texts'],
  ['plugins.config', [], 'an object of plugin names'],
  ['plugins.config', { memory: 5 }, 'an object of plugin names'],
  ['plugins.hotReload', 'on', 'true or false'],
  ['plugins.hotReloadIntervalMs', -1, 'a whole number of at least 0'],
  ['storage.directory', '', 'text that is not empty'],
  ['storage.driver', 'postgres', '"file", "sqlite"'],
  ['storage.durability', 'none', '"full", "process"'],
  ['auth.mode', 'basic', '"none", "token", "accounts"'],
  ['auth.bootstrapToken', 1, 'text'],
  ['auth.bootstrapName', '', 'text that is not empty'],
  ['auth.workspaces', { 'Not An Id': '/x' }, 'tenant ids'],
  ['auth.workspaces', { acme: 3 }, 'tenant ids'],
  ['approvals.timeoutMs', 0, 'a whole number of at least 1'],
  ['checkpoints.enabled', 'on', '"auto", true, false'],
  ['checkpoints.maxFiles', -1, 'a whole number of at least 0'],
  ['checkpoints.exclude', [1], 'a list of texts'],
  ['log.level', 'trace', '"debug", "info", "warn", "error", "silent"'],
  ['log.format', 'xml', '"text", "json"'],
];

for (const [key, value, rule] of wrongValues)
  wrong(`${key}: ${JSON.stringify(value)}`, () => {
    const message = refusal({ file: nested(key, value) });
    assert.match(message, `"${key}" must be`);
    assert.match(message, rule);
  });

for (const [variable, text, key] of [
  ['SERVICE_PORT', 'eighty', 'server.port'],
  ['SERVICE_PORT', '0x50', 'server.port'],
  ['SERVICE_PORT', '1e3', 'server.port'],
  ['SERVICE_HOT_RELOAD', 'maybe', 'plugins.hotReload'],
  ['SERVICE_CHECKPOINTS', 'sometimes', 'checkpoints.enabled'],
  ['SERVICE_AUTH_MODE', 'oauth', 'auth.mode'],
  ['SERVICE_STORAGE_DRIVER', 'mysql', 'storage.driver'],
] as const)
  wrong(`${variable}=${text}`, () => {
    const message = refusal({ env: { [variable]: text } });
    assert.match(message, `"${key}" must be`);
    assert.match(message, `${variable} gives text`);
  });

wrong('the value itself is never repeated', () => {
  assert.not.match(refusal({ file: { server: { token: ['canary-secret'] } } }), 'canary');
  assert.not.match(refusal({ env: { SERVICE_AUTH_MODE: 'canary-secret' } }), 'canary');
  assert.not.match(refusal({ file: { plugins: { config: { x: 'canary-secret' } } } }), 'canary');
});

wrong.run();

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
