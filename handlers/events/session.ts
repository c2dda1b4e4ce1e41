import { endpoint } from '../../lib/http/endpoint.ts';
import { lastEventId } from '../../lib/http/last-event-id.ts';
import { eventStream } from '../../lib/http/sse.ts';

/** The events of one session (contract: Stream format). */
export default endpoint('GET /api/sessions/:id/events', {
  access: 'user',
  session: true,
  handle({ app, request, url, principal, session, signal }) {
    const cursor = app.events.subscribe({
      tenantId: principal.tenantId,
      sessionId: session.id,
      after: lastEventId(request, url),
    });
    return eventStream({ app, principal, cursor, signal });
  },
});
