import { endpoint } from '../../lib/http/endpoint.ts';
import { queryPath } from '../../lib/http/query-path.ts';
import { json } from '../../lib/http/respond.ts';
import { sessionWorkspace } from '../../lib/service/session-workspace.ts';

/**
 * One file of a session's workspace, at most 2 MB of it (contract: WorkspaceFile). Without `path`: `invalid_path`. The service's
 * own secrets are hidden: its configuration may lie in the workspace.
 */
export default endpoint('GET /api/sessions/:id/file', {
  access: 'user',
  session: true,
  async handle({ app, url, session }) {
    const workspace = await sessionWorkspace(app, session);
    const file = await workspace.read(queryPath(url) ?? '');
    return json(file.encoding === 'utf8' ? { ...file, content: app.hideSecrets(file.content) } : file);
  },
});
