import { definePlugin, type PluginRoute, type Services } from '../../lib/plugin-api/index.ts';
import { quotaGuard } from './guard.ts';
import { limitsOf, Options } from './limits.ts';

/** Quotas per tenant: a guard that enforces them, and `GET /api/quotas` that shows them to administrators. */
export default definePlugin({
  options: Options,
  apply({ options, use }) {
    const usage = use('tenant.usage');
    use('session.guards').register(quotaGuard(usage, options));
    use('http.routes').register(quotasRoute(usage, options));
  },
});

/** Every tenant, and whoever has limits of its own (contract: Quota usage record). */
function quotasRoute(usage: Services['tenant.usage'], options: Options): PluginRoute {
  return {
    method: 'GET',
    path: '/api/quotas',
    admin: true,
    handler() {
      const ids = new Set([...usage.tenants(), ...Object.keys(options.tenants)]);
      const tenants = [...ids].sort().map((tenantId) => {
        const { sessions, running, tokens } = usage.of(tenantId);
        return { tenantId, sessions, running, tokens, limits: limitsOf(options, tenantId) };
      });
      return { body: { tenants } };
    },
  };
}
