import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { repairSession } from '../../lib/service/repair-session.ts';

export default endpoint('POST /api/sessions/:id/repair', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json(await repairSession(app, session)),
});
