import { endpoint } from '../../lib/http/endpoint.ts';
import { jsonText } from '../../lib/http/respond.ts';

/** The tenant's sessions, most recently updated first. Each summary is serialised once per change, not per request. */
export default endpoint('GET /api/sessions', {
  access: 'user',
  handle: ({ app, principal }) => jsonText(`{"sessions":[${app.summaries(app.sessions.list(principal.tenantId))}]}`),
});
