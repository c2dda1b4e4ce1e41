import { endpoint } from '../../lib/http/endpoint.ts';
import { jsonText } from '../../lib/http/respond.ts';
import { activityOf } from '../../lib/service/activity.ts';
import { listSessions, readSessionQuery } from '../../lib/service/list-sessions.ts';

/**
 * The tenant's sessions, most recently updated first, serialised once per change, not per request.
 * `?limit&cursor&status&roots&q` narrow it down; `nextCursor` then says where to go on.
 */
export default endpoint('GET /api/sessions', {
  access: 'user',
  handle({ app, principal, url }) {
    const { records, nextCursor } = listSessions(app, principal.tenantId, readSessionQuery(url.searchParams));
    return jsonText(app.summaries(records, { nextCursor, activityOf: ({ id }) => activityOf(app, id) }));
  },
});
