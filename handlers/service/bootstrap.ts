import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { protocol } from '../../lib/wire/protocol.ts';
import type { Bootstrap } from '../../lib/wire/service.ts';

/** Contract: BootstrapResponse: all that a client needs before its first session. */
export default endpoint('GET /api/bootstrap', {
  access: 'user',
  handle: ({ app }) =>
    json({
      name: app.config.name,
      version: app.version,
      protocol,
      models: app.models.list(),
      tools: app.tools.schemas(),
      plugins: app.plugins.list(),
      features: { streaming: true, approvals: true, persistence: true, multiSession: true },
    } satisfies Bootstrap),
});
