import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import type { Caller } from '../../lib/wire/identity.ts';

/** Who is calling, for a client that holds a token or none. `user` is null where nobody in particular is calling. */
export default endpoint('GET /api/auth/me', {
  access: 'user',
  handle({ app, principal }) {
    const { userId, name = '', admin, tenantId } = principal;
    const caller: Caller = {
      mode: app.auth.mode,
      user: userId === undefined ? null : { id: userId, name, role: admin ? 'admin' : 'user' },
      tenant: { id: tenantId, name: app.auth.tenantName(tenantId) },
    };
    return json(caller);
  },
});
