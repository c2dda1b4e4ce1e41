import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { checkpointOwner } from '../../lib/service/checkpoint-owner.ts';

export default endpoint('GET /api/sessions/:id/checkpoints', {
  access: 'user',
  session: true,
  handle: async ({ app, session }) => json(await app.checkpoints.list(checkpointOwner(session))),
});
