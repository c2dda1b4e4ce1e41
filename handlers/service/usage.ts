import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { addUsage, noUsage, type TenantUsage } from '../../lib/wire/usage.ts';

/** Session count and cumulative tokens of the caller's tenant; an administrator may ask for another with `?tenant=`. */
export default endpoint('GET /api/usage', {
  access: 'user',
  handle({ app, principal, url }) {
    const asked = url.searchParams.get('tenant');
    const tenantId = principal.admin && asked ? asked : principal.tenantId;
    const records = app.sessions.list(tenantId);
    return json({
      tenantId,
      sessions: records.length,
      usage: records.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    } satisfies TenantUsage);
  },
});
