import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { CreateTenantRequest } from '../../lib/wire/requests.ts';

/** Without an `id`, one is made from the name. */
export default endpoint('POST /api/tenants', {
  access: 'admin',
  body: CreateTenantRequest,
  handle: async ({ app, body }) => json({ tenant: await app.auth.createTenant(body) }, 201),
});
