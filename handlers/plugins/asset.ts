import { contentTypeOf } from '../../lib/http/content-type.ts';
import { endpoint } from '../../lib/http/endpoint.ts';
import { answerTagged, tagOf } from '../../lib/http/entity-tag.ts';
import { decodePath } from '../../lib/http/path-pattern.ts';
import { bundleHeaders } from '../../lib/http/sandbox-document.ts';
import { ServiceError } from '../../lib/wire/errors.ts';

/** A file of an active plugin's `web/` directory (contract: Static routes). Public and readable by every origin. */
export default endpoint('GET /plugins/:id/*', {
  access: 'public',
  async handle({ app, request, url, params }) {
    const file = decodePath(url.pathname.split('/').slice(3).join('/'));
    const asset = await app.plugins.asset(params.id ?? '', file);
    if (asset === undefined) throw new ServiceError('not_found', 'There is no such plugin asset.');
    const { bytes, fileName, modifiedAt } = asset;
    return answerTagged(request, tagOf({ size: bytes.length, modifiedAt }), {
      headers: { ...bundleHeaders, 'content-type': contentTypeOf(fileName) },
      read: async () => bytes,
    });
  },
});
