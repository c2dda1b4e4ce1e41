import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { publicConfig } from '../../lib/service/public-config.ts';

/** The effective configuration without any secret (contract: Service routes). */
export default endpoint('GET /api/config', {
  access: 'user',
  handle: ({ app, principal }) => json({ config: publicConfig(app.config, principal) }),
});
