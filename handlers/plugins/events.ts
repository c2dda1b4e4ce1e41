import { endpoint } from '../../lib/http/endpoint.ts';
import { createFrameQueue } from '../../lib/http/frame-queue.ts';
import { eventStream } from '../../lib/http/sse.ts';
import type { PluginEvent } from '../../lib/wire/plugin.ts';

/**
 * Tells developers' consoles which bundles changed: a `ready` frame, then one `plugins.changed` per save. With hot reload
 * off it says so and stays idle.
 */
export default endpoint('GET /api/plugins/events', {
  access: 'user',
  handle({ app, principal, signal }) {
    const { plugins, clock } = app;
    const watched = plugins.list().flatMap(({ id, web }) => (web?.revision ? [{ id, revision: web.revision }] : []));
    const cursor = createFrameQueue(() => stop());
    const push = (event: PluginEvent): void => cursor.push(event);
    const stop = plugins.watch((changes) =>
      push({ type: 'plugins.changed', plugins: changes, at: new Date(clock.now()).toISOString() }),
    );
    push({ type: 'ready', enabled: plugins.watching, plugins: watched });
    return eventStream({ app, principal, cursor, signal });
  },
});
