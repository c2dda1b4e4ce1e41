import { contentTypeOf } from '../../lib/http/content-type.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerTagged, tagOf } from '../../lib/http/entity-tag.ts';
import { bundleHeaders } from '../../lib/http/sandbox-document.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

/** A file of an active plugin's `web/` directory (contract: Static routes). Public and readable by every origin. */
export default endpoint('GET /plugins/:id/*', {
  access: 'public',
  async handle({ app, request, url, params }) {
    const asset = await app.plugins.asset(params.id ?? '', fileIn(url.pathname));
    if (asset === undefined) throw new ServiceError('not_found', 'There is no such plugin asset.');
    const { bytes, fileName, modifiedAt } = asset;
    return answerTagged(request, tagOf({ size: bytes.length, modifiedAt }), {
      headers: { ...bundleHeaders, 'content-type': contentTypeOf(fileName) },
      read: async () => bytes,
    });
  },
});

/** What follows the plugin's id. */
function fileIn(pathname: string): string {
  try {
    return decodeURIComponent(pathname.split('/').slice(3).join('/'));
  } catch {
    throw new ServiceError('bad_path', 'The path is not well formed: check its percent encoding.');
  }
}
