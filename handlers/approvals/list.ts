import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';

/** Everything in the caller's tenant that waits for a person, sub-agents included, oldest first. */
export default endpoint('GET /api/approvals', {
  access: 'user',
  handle({ app, principal }) {
    const own = app.approvals.pending().filter(({ tenantId }) => tenantId === principal.tenantId);
    return json({ approvals: own.map(({ approval }) => approval) });
  },
});
