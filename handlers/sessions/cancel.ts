import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { cancelRun } from '../../lib/service/cancel-run.ts';

export default endpoint('POST /api/sessions/:id/cancel', {
  access: 'user',
  session: true,
  handle: ({ app, session }) => json({ cancelled: cancelRun(app, session) }),
});
