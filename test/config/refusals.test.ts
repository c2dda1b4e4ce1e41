import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { load, nested, refusal } from './load.ts';

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
  ['server.overloadLagMs', 0.5, 'a whole number of at least 0'],
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
  ['plugins.hotReload', 'on', 'true or false'],
  ['plugins.hotReloadIntervalMs', -1, 'a whole number of at least 0'],
  ['storage.directory', '', 'text that is not empty'],
  ['storage.driver', 'postgres', '"file", "sqlite"'],
  ['storage.durability', 'none', '"full", "process"'],
  ['storage.minFreeBytes', -1, 'a whole number of at least 0'],
  ['storage.reserveBytes', 0.5, 'a whole number of at least 0'],
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

for (const [variable, text, key, flag = ''] of [
  ['SERVICE_PORT', 'eighty', 'server.port', ' or --port'],
  ['SERVICE_PORT', '0x50', 'server.port', ' or --port'],
  ['SERVICE_PORT', '1e3', 'server.port', ' or --port'],
  ['SERVICE_HOT_RELOAD', 'maybe', 'plugins.hotReload'],
  ['SERVICE_CHECKPOINTS', 'sometimes', 'checkpoints.enabled'],
  ['SERVICE_AUTH_MODE', 'oauth', 'auth.mode'],
  ['SERVICE_STORAGE_DRIVER', 'mysql', 'storage.driver'],
] as const)
  wrong(`${variable}=${text}`, () => {
    const message = refusal({ env: { [variable]: text } });
    assert.match(message, `"${key}" must be`);
    assert.match(message, `${variable}${flag} gives text`);
  });

wrong('options of a plugin that are no object are named, not all of them', () => {
  const message = refusal({ file: { plugins: { config: { skills: {}, memory: [] } } } });
  assert.match(message, /^"plugins\.config\.memory" must be an object of options, but .* gives a list\.$/);
});

wrong('the value itself is never repeated', () => {
  assert.not.match(refusal({ file: { server: { token: ['canary-secret'] } } }), 'canary');
  assert.not.match(refusal({ env: { SERVICE_AUTH_MODE: 'canary-secret' } }), 'canary');
  assert.not.match(refusal({ file: { plugins: { config: { x: 'canary-secret' } } } }), 'canary');
});

wrong.run();
