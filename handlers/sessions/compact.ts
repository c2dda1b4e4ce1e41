import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { compactSession } from '../../lib/service/compact-session.ts';

/** Additive: compacts now. `compacted` is false when there is nothing to gain or no place to cut. */
export default endpoint('POST /api/sessions/:id/compact', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json({ compacted: await compactSession(app, session) }),
});
