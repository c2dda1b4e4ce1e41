import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { rewindSession } from '../../lib/service/rewind-session.ts';
import { RewindRequest } from '../../lib/wire/requests.ts';

export default endpoint('POST /api/sessions/:id/rewind', {
  access: 'user',
  session: true,
  body: RewindRequest,
  handle: async ({ app, session, body: { messageId, restoreFiles = true } }) =>
    json(await rewindSession(app, session, { messageId, restoreFiles })),
});
