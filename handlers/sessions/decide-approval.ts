import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { DecisionRequest } from '../../lib/wire/requests.ts';

/** One decision per approval: whoever comes later, or after the timeout, gets 404 `approval_not_found`. */
export default endpoint('POST /api/sessions/:id/approvals/:approvalId', {
  access: 'user',
  session: true,
  body: DecisionRequest,
  handle({ app, session, params, body }) {
    app.approvals.decide(session.id, params.approvalId ?? '', body);
    return json({ resolved: true });
  },
});
