import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { createSession } from '../../lib/service/create-session.ts';
import { sessionDetail } from '../../lib/service/session-detail.ts';
import { CreateSessionRequest } from '../../lib/wire/requests.ts';

export default endpoint('POST /api/sessions', {
  access: 'user',
  body: CreateSessionRequest,
  async handle({ app, principal, body }) {
    const session = await createSession(
      app,
      { tenantId: principal.tenantId, confined: app.auth.mode === 'accounts' && !principal.admin },
      body,
    );
    return json({ session: await sessionDetail(app, session) }, 201);
  },
});
