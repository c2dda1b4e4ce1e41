import { endpoint } from '../../lib/http/endpoint.ts';
import { jsonText } from '../../lib/http/respond.ts';
import { isSet } from '../../lib/service/query-values.ts';
import { previewRestore, restoreCheckpoint } from '../../lib/service/restore-checkpoint.ts';

/** `?dryRun=1`: what it would do, and to whom; nothing is touched, and a run may be active. */
export default endpoint('POST /api/sessions/:id/checkpoints/:checkpointId/restore', {
  access: 'user',
  session: true,
  async handle({ app, session, url, params: { checkpointId = '' } }) {
    const done = await (isSet(url.searchParams, 'dryRun') ? previewRestore : restoreCheckpoint)(
      app,
      session,
      checkpointId,
    );
    return jsonText(app.hideSecrets(JSON.stringify(done)));
  },
});
