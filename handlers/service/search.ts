import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { readSearchQuery } from '../../lib/service/search.ts';

/** Searches the titles and messages of the caller's tenant: `?q=words&limit=20`. Every word must begin a word of the text. */
export default endpoint('GET /api/search', {
  access: 'user',
  handle: async ({ app, principal, url, signal }) =>
    json(await app.search(principal.tenantId, readSearchQuery(url.searchParams), signal)),
});
