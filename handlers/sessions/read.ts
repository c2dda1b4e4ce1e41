import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { sessionDetail } from '../../lib/service/session-detail.ts';

export default endpoint('GET /api/sessions/:id', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json({ session: await sessionDetail(app, session) }),
});
