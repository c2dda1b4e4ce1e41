import { endpoint } from '../../lib/http/endpoint.ts';
import { isUnchanged } from '../../lib/http/entity-tag.ts';
import { harden } from '../../lib/http/sandbox-document.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

/**
 * The entry of an active plugin's bundle with one line in front that takes away what no policy can. It is the only script
 * that the sandbox document's policy lets in; frames have no origin, hence the open CORS header.
 */
export default endpoint('GET /plugins/:id/.sandbox/*', {
  access: 'public',
  async handle({ app, request, url, params }) {
    const id = params.id ?? '';
    const web = app.plugins.list().find((plugin) => plugin.id === id && plugin.state === 'active')?.web;
    const wanted = url.pathname.split('/').slice(4).join('/');
    const entry = web?.entry.split('/').slice(3).join('/');
    if (entry === undefined || entry !== wanted) throw nothingHere();
    const asset = await app.plugins.asset(id, decodeURIComponent(entry));
    if (asset === undefined) throw nothingHere();
    const etag = `W/"s-${asset.bytes.length.toString(36)}-${Math.round(asset.modifiedAt).toString(36)}"`;
    const headers = { ...fixedHeaders, etag };
    if (isUnchanged(request, etag)) return new Response(null, { status: 304, headers });
    const script = harden(asset.bytes);
    return new Response(script, { headers: { ...headers, 'content-length': String(script.size) } });
  },
});

const fixedHeaders = {
  'content-type': 'text/javascript; charset=utf-8',
  'cache-control': 'no-cache',
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
};

function nothingHere(): ServiceError {
  return new ServiceError('not_found', 'There is no such entry of an active plugin.');
}
