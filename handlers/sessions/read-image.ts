import { endpoint } from '../../lib/http/endpoint.ts';
import { readImage } from '../../lib/service/list-messages.ts';
import { wholeResponse } from '../../lib/wire/whole-response.ts';

/** The bytes of an image of the transcript. They never change: the address is their hash. */
export default endpoint('GET /api/sessions/:id/images/:hash', {
  access: 'user',
  session: true,
  async handle({ app, session, params: { hash = '' } }) {
    const { mimeType, data } = await readImage(app, session, hash);
    const headers = {
      'content-type': mimeType,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'cache-control': 'private, max-age=31536000, immutable',
    };
    return wholeResponse(Buffer.from(data, 'base64'), { headers });
  },
});
