import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { listMessages } from '../../lib/service/list-messages.ts';
import { wholeNumber } from '../../lib/service/query-values.ts';

/** A page of the transcript: `?limit=` newest messages (default 100), or those before `?before=<message id>`. */
export default endpoint('GET /api/sessions/:id/messages', {
  access: 'user',
  session: true,
  async handle({ app, session, url }) {
    const limit = wholeNumber(url.searchParams, 'limit', 1_000) ?? 100;
    const before = url.searchParams.get('before') ?? undefined;
    return json(await listMessages(app, session, before === undefined ? { limit } : { before, limit }));
  },
});
