import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { diagnoseSession } from '../../lib/service/diagnose-session.ts';

/** What is wrong with a session, and what a repair would do. Changes nothing. */
export default endpoint('GET /api/sessions/:id/diagnostics', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json({ diagnosis: await diagnoseSession(app, session) }),
});
