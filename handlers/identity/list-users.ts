import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';

export default endpoint('GET /api/users', {
  access: 'admin',
  handle: async ({ app }) => json({ users: await app.auth.users() }),
});
