import { endpoint } from '../../lib/http/endpoint.ts';
import { queryPath } from '../../lib/http/query-path.ts';
import { json } from '../../lib/http/respond.ts';
import { sessionWorkspace } from '../../lib/service/session-workspace.ts';

/** One directory of a session's workspace, the root unless `path` names another (contract: WorkspaceListing). */
export default endpoint('GET /api/sessions/:id/files', {
  access: 'user',
  session: true,
  async handle({ app, url, session }) {
    const workspace = await sessionWorkspace(app, session);
    return json(await workspace.list(queryPath(url) || '.'));
  },
});
