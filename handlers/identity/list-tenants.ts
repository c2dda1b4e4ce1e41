import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';

export default endpoint('GET /api/tenants', {
  access: 'admin',
  handle: async ({ app }) => json({ tenants: await app.auth.tenants() }),
});
