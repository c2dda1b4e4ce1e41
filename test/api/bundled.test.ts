import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { PluginInfo } from '../../lib/wire/plugin.ts';
import type { ToolSchema } from '../../lib/wire/tool.ts';
import { withApp } from '../helpers/with-app.ts';
import { accounts, bearer, bootstrapToken, person } from '../tenancy/people.ts';

const bundled = suite('The service as it comes');

bundled('loads every bundled plugin, registers the demo model and answers bootstrap', async () => {
  await withApp({ bundled: true }, async (app) => {
    const bootstrap = await app.call<{
      plugins: PluginInfo[];
      models: { id: string }[];
      tools: ToolSchema[];
      features: object;
      protocol: string;
    }>('GET', '/api/bootstrap', {});
    assert.equal(
      bootstrap.plugins.filter((plugin) => plugin.state !== 'active'),
      [],
    );
    assert.equal(
      bootstrap.models.map((model) => model.id),
      ['demo'],
    );
    assert.equal(bootstrap.features, { streaming: true, approvals: true, persistence: true, multiSession: true });
    assert.is(bootstrap.protocol, '1.0');
    const asking = bootstrap.tools.filter((tool) => tool.permission === 'ask').map((tool) => tool.name);
    assert.equal(
      asking.filter((name) => ['write_file', 'read_file', 'memory_save'].includes(name)),
      [],
    );
    const health = await app.call<Record<string, unknown>>('GET', '/api/health', {});
    assert.equal(
      [health.status, health.protocol, health.plugins, health.sessions],
      ['ok', '1.0', bootstrap.plugins.length, 0],
    );
  });
});

bundled('has the quota route that the quota plugin adds', async () => {
  await withApp({ bundled: true }, async (app) => {
    await app.newSession();
    const { tenants } = await app.call<{ tenants: unknown[] }>('GET', '/api/quotas', {});
    assert.equal(tenants, [{ tenantId: 'default', sessions: 1, running: 0, tokens: 0, limits: {} }]);
  });
});

bundled('shows administrators the quotas of every tenant, also of one that has no session (any more)', () =>
  withApp({ bundled: true, env: accounts }, async (app) => {
    const headers = bearer(bootstrapToken);
    await person(app, { name: 'Ada', tenantId: 'red' });
    const listed = async () => {
      const { tenants } = await app.call<{ tenants: { tenantId: string }[] }>('GET', '/api/quotas', { headers });
      return tenants.map(({ tenantId }) => tenantId);
    };
    assert.equal(await listed(), ['default', 'red']);
    const { session } = await app.call<{ session: { id: string } }>('POST', '/api/sessions', { status: 201, headers });
    await app.call('DELETE', `/api/sessions/${session.id}`, { status: 204, headers });
    assert.equal(await listed(), ['default', 'red']);
  }),
);

bundled.run();
