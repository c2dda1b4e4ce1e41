import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { sessionDetail } from '../../lib/service/session-detail.ts';
import { updateSession } from '../../lib/service/update-session.ts';
import { UpdateSessionRequest } from '../../lib/wire/requests.ts';

export default endpoint('PATCH /api/sessions/:id', {
  access: 'user',
  session: true,
  body: UpdateSessionRequest,
  async handle({ app, session, body }) {
    await updateSession(app, session, body);
    return json({ session: await sessionDetail(app, session) });
  },
});
