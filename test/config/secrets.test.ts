import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSecretRegistry } from '../../lib/base/secrets.ts';
import { secretValues } from '../../lib/config/secret-values.ts';
import { publicConfig } from '../../lib/service/public-config.ts';
import { load } from './load.ts';

const canary = (name: string): string => `canary-${name}-4711`;

/** A secret in every slot that can hold one. */
const file = {
  server: { token: canary('operator') },
  auth: { mode: 'accounts', bootstrapToken: canary('bootstrap') },
  plugins: {
    config: {
      'chat-completions': {
        baseUrl: `https://user:${canary('url-password')}@models.example/v1?key=${canary('url-key')}#part`,
        apiKey: canary('api-key'),
        apiKeyEnv: 'MODELS_KEY',
        headers: { 'x-api-key': canary('header'), authorization: `Bearer ${canary('bearer')}` },
        models: ['large', { id: 'small', contextWindow: 1_000 }],
        maxTokens: 100,
      },
      'mcp-bridge': {
        servers: {
          tickets: {
            command: 'npx',
            args: ['serve', '--api-key', canary('argument'), `--token=${canary('inline')}`],
            env: { TICKETS_TOKEN: canary('child-env') },
            approval: 'auto',
          },
          wiki: { url: 'https://wiki.example/mcp', headers: { 'X-Auth-Token': `Bearer $\{WIKI_SECRET}` } },
        },
      },
      triggers: { webhooks: [{ id: 'ci', secret: canary('webhook'), title: 'Build', template: 'Look at {{body}}' }] },
      unknown: { password: canary('password'), nested: { tokens: [canary('list')] }, note: canary('note') },
    },
  },
};
const env = {
  MODELS_KEY: canary('named-variable'),
  WIKI_SECRET: canary('expanded-variable'),
  OPENAI_API_KEY: canary('openai'),
  ANTHROPIC_API_KEY: canary('anthropic'),
  HARMLESS: 'not-a-secret-at-all',
};
/** `unknown.note` is no secret by any sign; it is only kept out of `/api/config`. */
const known =
  'operator bootstrap url-password url-key api-key header bearer argument inline child-env webhook password list'.split(
    ' ',
  );
const fromVariables = ['named-variable', 'expanded-variable', 'openai', 'anthropic'];

const slots = suite('Every secret of the configuration is known for redaction');

for (const name of [...known, ...fromVariables])
  slots(name, () => {
    assert.ok(secretValues(load({ file, env }).config, env).includes(canary(name)));
  });

slots('what is no secret is left alone', () => {
  const values = secretValues(load({ file, env }).config, env);
  for (const innocent of ['not-a-secret-at-all', 'auto', 'npx', 'large', 'MODELS_KEY', 'https://wiki.example/mcp'])
    assert.not(values.includes(innocent), innocent);
});

slots('how a webhook is signed is no secret, what it is signed with is', () => {
  const signature = { header: 'X-Hub-Signature-256', algorithm: 'sha256' };
  const triggers = { webhooks: { ci: { prompt: 'Look', secret: canary('hook'), signature } } };
  assert.equal(secretValues(load({ file: { plugins: { config: { triggers } } } }).config, {}), [canary('hook')]);
});

slots('server.token "auto" is a word, not a secret', () => {
  assert.equal(secretValues(load({ file: { server: { token: 'auto' } } }).config, {}), []);
});

slots.run();

const shown = suite('GET /api/config shows the effective tree without any secret');
const administrator = { admin: true, tenantId: 'default' };

shown('no canary in any slot survives', () => {
  const text = JSON.stringify(publicConfig(load({ file, env }).config, administrator));
  assert.not.match(text, 'canary');
});

shown('what a client may need is there', () => {
  const config = JSON.parse(JSON.stringify(publicConfig(load({ file, env }).config, administrator)));
  assert.equal(config.auth, { mode: 'accounts', bootstrapName: 'Admin', workspaces: {} });
  assert.is(config.model.maxSteps, 40);
  assert.is(config.server.token, undefined);
  const chat = config.plugins.config['chat-completions'];
  assert.is(chat.baseUrl, 'https://models.example/v1');
  assert.is(chat.apiKeyEnv, 'MODELS_KEY');
  assert.is(chat.maxTokens, 100);
  assert.equal(chat.models, ['large', { id: 'small', contextWindow: 1_000 }]);
  assert.is(config.plugins.config['mcp-bridge'].servers.tickets.approval, 'auto');
});

shown('a key pasted where the name of a variable belongs stays hidden', () => {
  const pasted = { plugins: { config: { 'chat-completions': { apiKeyEnv: 'sk-canary-1234567890' } } } };
  const { config } = load({ file: pasted });
  assert.not.match(JSON.stringify(publicConfig(config, administrator)), 'canary');
  assert.ok(secretValues(config, {}).includes('sk-canary-1234567890'));
});

shown('who is no administrator sees the own tenant only', () => {
  const { config } = load({ file: { auth: { workspaces: { acme: '/srv/acme', rival: '/srv/rival' } } } });
  const text = JSON.stringify(publicConfig(config, { admin: false, tenantId: 'acme' }));
  assert.match(text, '/srv/acme');
  assert.not.match(text, 'rival');
});

shown.run();

const registry = suite('Redaction is exact');

registry('every known value goes, wherever it stands', () => {
  const secrets = createSecretRegistry();
  for (const value of secretValues(load({ file, env }).config, env)) secrets.add(value);
  const all = [...known, ...fromVariables].map(canary).join('|');
  assert.not.match(secrets.redact(`before ${all} after`), 'canary');
});

registry('under six characters is ignored', () => {
  const secrets = createSecretRegistry();
  secrets.add('12345');
  assert.is(secrets.redact('12345'), '12345');
  secrets.add('123456');
  assert.is(secrets.redact('a123456b'), 'a[redacted]b');
});

registry('a secret that contains another one disappears whole', () => {
  const secrets = createSecretRegistry();
  secrets.add('secret');
  secrets.add('secret-and-more');
  assert.is(secrets.redact('x secret-and-more y secret z'), 'x [redacted] y [redacted] z');
});

registry('characters with a meaning in patterns are plain text', () => {
  const secrets = createSecretRegistry();
  secrets.add('a.c+(d)[e]$|^\\/-');
  assert.is(secrets.redact('<a.c+(d)[e]$|^\\/->'), '<[redacted]>');
  assert.is(secrets.redact('abc+(d)[e]$|^\\/-'), 'abc+(d)[e]$|^\\/-');
});

registry('inside JSON and inside a URL', () => {
  const secrets = createSecretRegistry();
  secrets.add('quo"te \\ ünd');
  assert.not.match(secrets.redact(JSON.stringify({ value: 'quo"te \\ ünd' })), 'quo');
  assert.not.match(secrets.redact(`/x?y=${encodeURIComponent('quo"te \\ ünd')}`), 'quo');
});

registry('a query token goes, known or not', () => {
  const { redact } = createSecretRegistry();
  assert.is(redact('GET /api/events?token=abc&lastEventId=5'), 'GET /api/events?token=[redacted]&lastEventId=5');
  assert.is(redact('maxtoken=5'), 'maxtoken=5');
});

registry('ten thousand values cost one pass', () => {
  const secrets = createSecretRegistry();
  for (let count = 0; count < 10_000; count++) secrets.add(`generated-${count}-value`);
  assert.is(secrets.redact('generated-9999-value generated-10000-value'), '[redacted] generated-10000-value');
});

registry.run();
