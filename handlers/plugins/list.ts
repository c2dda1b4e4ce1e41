import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';

/** Every plugin that was found, in the order of loading; `web.revision` while hot reload watches. */
export default endpoint('GET /api/plugins', {
  access: 'user',
  handle: ({ app }) => json({ plugins: app.plugins.list() }),
});
