import { endpoint } from '../../lib/http/endpoint.ts';
import { lastEventId } from '../../lib/http/last-event-id.ts';
import { eventStream } from '../../lib/http/sse.ts';

/** The events of every session that the caller may see; administrators also get notices that belong to no session. */
export default endpoint('GET /api/events', {
  access: 'user',
  handle({ app, request, url, principal, signal }) {
    const cursor = app.events.subscribe({
      tenantId: principal.tenantId,
      admin: principal.admin,
      after: lastEventId(request, url),
    });
    return eventStream({ app, principal, cursor, signal });
  },
});
