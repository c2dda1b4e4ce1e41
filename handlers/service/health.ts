import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { protocol } from '../../lib/wire/protocol.ts';
import type { Health } from '../../lib/wire/service.ts';

/** Contract: HealthResponse. Answers as soon as the service is ready; plugins are loaded by then. */
export default endpoint('GET /api/health', {
  access: 'public',
  handle: ({ app }) =>
    json({
      status: 'ok',
      name: app.config.name,
      version: app.version,
      protocol,
      uptimeMs: Math.round(app.clock.monotonic() - app.startedAt),
      plugins: app.plugins.list().filter((plugin) => plugin.state === 'active').length,
      sessions: app.sessions.size,
    } satisfies Health),
});
