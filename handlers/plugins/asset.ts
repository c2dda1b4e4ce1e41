import { contentTypeOf } from '../../lib/http/content-type.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { isUnchanged } from '../../lib/http/entity-tag.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

/**
 * A file of an active plugin's `web/` directory (contract: Static routes). Public and readable by every origin, because the
 * sandbox has none. A document among them gets no rights at all: opened by itself it would otherwise run in the
 * console's origin.
 */
export default endpoint('GET /plugins/:id/*', {
  access: 'public',
  async handle({ app, request, url, params }) {
    const asset = await app.plugins.asset(params.id ?? '', fileIn(url.pathname));
    if (asset === undefined) throw new ServiceError('not_found', 'There is no such plugin asset.');
    const etag = `W/"${asset.bytes.length.toString(36)}-${Math.round(asset.modifiedAt).toString(36)}"`;
    const headers = { ...fixedHeaders, etag, 'content-type': contentTypeOf(asset.fileName) };
    if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers });
    return new Response(asset.bytes, { headers: { ...headers, 'content-length': String(asset.bytes.length) } });
  },
});

const fixedHeaders = {
  'cache-control': 'no-cache',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

/** What follows the plugin's id. */
function fileIn(pathname: string): string {
  try {
    return decodeURIComponent(pathname.split('/').slice(3).join('/'));
  } catch {
    throw new ServiceError('bad_path', 'The path is not well formed: check its percent encoding.');
  }
}
