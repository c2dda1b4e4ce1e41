import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { SessionGuardContext } from '../../lib/plugin-api/index.ts';
import { type BundledPlugin, loadBundled, routeRequest } from './bundled-plugin.ts';

interface Counts {
  sessions: number;
  running: number;
  tokens: number;
}
const none: Counts = { sessions: 0, running: 0, tokens: 0 };

async function quota(config: Record<string, unknown>, counts: Record<string, Counts> = {}): Promise<BundledPlugin> {
  const byTenant = new Map(Object.entries(counts));
  const usage = { of: (tenantId: string) => byTenant.get(tenantId) ?? none, tenants: () => [...byTenant.keys()] };
  return loadBundled('quota', { config, services: { 'tenant.usage': usage } });
}

/** The veto of the guard, or `allowed`. */
function ask({ guards }: BundledPlugin, context: SessionGuardContext): string {
  try {
    for (const guard of guards) guard(context);
    return 'allowed';
  } catch (error) {
    const { name, code, retryAfterSeconds } = error as Error & { code: string; retryAfterSeconds?: number };
    return `${name} ${code}${retryAfterSeconds === undefined ? '' : ` after ${retryAfterSeconds}`}`;
  }
}

const guard = suite('The quota guard vetoes before anything changes');

for (const [limit, counts, action, expected] of [
  [{ maxSessions: 2 }, { sessions: 1 }, 'create', 'allowed'],
  [{ maxSessions: 2 }, { sessions: 2 }, 'create', 'SessionGuardError quota_exceeded'],
  [{ maxSessions: 0 }, {}, 'create', 'SessionGuardError quota_exceeded'],
  [{ maxSessions: 2 }, { sessions: 9 }, 'run', 'allowed'],
  [{ maxConcurrentRuns: 2 }, { running: 1 }, 'run', 'allowed'],
  [{ maxConcurrentRuns: 2 }, { running: 2 }, 'run', 'SessionGuardError quota_exceeded after 5'],
  [{ maxConcurrentRuns: 2 }, { running: 2 }, 'create', 'allowed'],
  [{ maxTokens: 100 }, { tokens: 99 }, 'run', 'allowed'],
  [{ maxTokens: 100 }, { tokens: 100 }, 'run', 'SessionGuardError quota_exceeded'],
  [{}, { sessions: 1e6, running: 1e6, tokens: 1e9 }, 'run', 'allowed'],
] as const)
  guard(`${JSON.stringify(limit)} with ${JSON.stringify(counts)}: ${action} is ${expected}`, async () => {
    const plugin = await quota({ default: limit }, { t: { ...none, ...counts } });
    assert.is(ask(plugin, { action, tenantId: 't' }), expected);
    await plugin.close();
  });

guard('a listed tenant does not inherit the default', async () => {
  const plugin = await quota(
    { default: { maxSessions: 1 }, tenants: { listed: { maxTokens: 5 } } },
    { listed: { ...none, sessions: 50 } },
  );
  assert.is(ask(plugin, { action: 'create', tenantId: 'listed' }), 'allowed');
  assert.is(ask(plugin, { action: 'create', tenantId: 'other' }), 'allowed');
  await plugin.close();
});

guard('a tenant named like a property of objects gets the default', async () => {
  const plugin = await quota({ default: { maxSessions: 0 } });
  assert.is(ask(plugin, { action: 'create', tenantId: 'constructor' }), 'SessionGuardError quota_exceeded');
  await plugin.close();
});

for (const wrong of [-1, 0.5, '3', null])
  guard(`the value ${JSON.stringify(wrong)} fails at plugin load`, async () => {
    for (const config of [{ default: { maxTokens: wrong } }, { tenants: { a: { maxSessions: wrong } } }]) {
      const plugin = await quota(config);
      assert.is(plugin.info?.state, 'failed');
      assert.match(plugin.info?.error ?? '', /options are not valid: "(default|tenants)\./);
      assert.is(plugin.guards.length, 0);
    }
  });
guard.run();

const route = suite('GET /api/quotas');

route('shows administrators, and nobody else, every tenant with its usage and its limits', async () => {
  const plugin = await quota(
    { default: { maxSessions: 5 }, tenants: { b: { maxTokens: 7 }, idle: {} } },
    { b: { sessions: 1, running: 1, tokens: 3 }, a: { sessions: 2, running: 0, tokens: 0 } },
  );
  const [quotas] = plugin.routes;
  assert.is(`${quotas?.method} ${quotas?.path}`, 'GET /api/quotas');
  assert.is(quotas?.admin, true);
  assert.equal(await quotas?.handler(routeRequest({ principal: { tenantId: 'default', admin: true } })), {
    body: {
      tenants: [
        { tenantId: 'a', sessions: 2, running: 0, tokens: 0, limits: { maxSessions: 5 } },
        { tenantId: 'b', sessions: 1, running: 1, tokens: 3, limits: { maxTokens: 7 } },
        { tenantId: 'idle', sessions: 0, running: 0, tokens: 0, limits: {} },
      ],
    },
  });
  await plugin.close();
});
route.run();
