import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { checkpointOwner } from '../../lib/service/checkpoint-owner.ts';
import { CreateCheckpointRequest } from '../../lib/wire/requests.ts';

export default endpoint('POST /api/sessions/:id/checkpoints', {
  access: 'user',
  session: true,
  body: CreateCheckpointRequest,
  handle: async ({ app, session, body: { label } }) =>
    json({ checkpoint: await app.checkpoints.capture(checkpointOwner(session), label || 'Snapshot') }, 201),
});
