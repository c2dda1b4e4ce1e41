import { endpoint } from '../../lib/http/endpoint.ts';
import { jsonText } from '../../lib/http/respond.ts';
import { checkpointOwner } from '../../lib/service/checkpoint-owner.ts';

/**
 * What changed since the checkpoint; with `?against=<checkpoint id>`, from the one to the other. Patches never show the
 * service's own secrets.
 */
export default endpoint('GET /api/sessions/:id/checkpoints/:checkpointId/diff', {
  access: 'user',
  session: true,
  async handle({ app, session, url, params: { checkpointId = '' } }) {
    const against = url.searchParams.get('against') ?? undefined;
    const diff = await app.checkpoints.diff(checkpointOwner(session), checkpointId, against);
    return jsonText(app.hideSecrets(JSON.stringify(diff)));
  },
});
