import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { resumeSession } from '../../lib/service/resume-session.ts';

export default endpoint('POST /api/sessions/:id/resume', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json(await resumeSession(app, session), 202),
});
