import { endpoint } from '../../lib/http/endpoint.ts';
import { policyPlace, readBootstrap, sandboxDocument, sandboxHeaders } from '../../lib/http/sandbox-document.ts';
import { wholeResponse } from '../../lib/wire/whole-response.ts';

/**
 * The document of a plugin's frame (contract: Static routes, Plugin browser bundles). Public; `plugin` names whose entry may
 * run in it. The entry is the manifest's, never the query's; `v` only makes addresses of revisions differ.
 */
export default endpoint('GET /plugin-sandbox.html', {
  access: 'public',
  async handle({ app, request, url }) {
    const bootstrap = await readBootstrap();
    const wanted = url.searchParams.get('plugin');
    const plugin = wanted === null ? undefined : app.plugins.list().find(({ id }) => id === wanted);
    const headers = sandboxHeaders({
      plugin,
      place: policyPlace(request, url),
      sha256: bootstrap.sha256,
      origins: app.config.server.corsOrigins,
    });
    return wholeResponse(sandboxDocument(bootstrap), { headers });
  },
});
