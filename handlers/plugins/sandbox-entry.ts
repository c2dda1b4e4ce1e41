import { endpoint } from '../../lib/http/endpoint.ts';
import { answerTagged, tagOf } from '../../lib/http/entity-tag.ts';
import { bundleHeaders, harden } from '../../lib/http/sandbox-document.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

/**
 * The entry of an active plugin's bundle with one line in front that takes away what no policy can. It is the only script
 * that the sandbox document's policy lets in.
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
    const { bytes, modifiedAt } = asset;
    return answerTagged(request, tagOf({ size: bytes.length, modifiedAt }, 's-'), {
      headers: { ...bundleHeaders, 'content-type': 'text/javascript; charset=utf-8' },
      read: async () => harden(bytes),
    });
  },
});

function nothingHere(): ServiceError {
  return new ServiceError('not_found', 'There is no such entry of an active plugin.');
}
