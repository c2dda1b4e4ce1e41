import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';

/** A new token for a user. The old one is dead, and its live streams end, before this answers. */
export default endpoint('POST /api/users/:id/token', {
  access: 'admin',
  handle: async ({ app, params }) => json(await app.auth.rotateToken(params.id ?? '')),
});
