import { endpoint } from '../../lib/http/endpoint.ts';
import { metricsContentType } from '../../lib/service/metrics.ts';
import { wholeResponse } from '../../lib/wire/whole-response.ts';

/** Figures of the whole service as Prometheus text. They cover all tenants, hence administrators only. */
export default endpoint('GET /api/metrics', {
  access: 'admin',
  handle: async ({ app }) =>
    wholeResponse(await app.metrics.text(), {
      headers: { 'content-type': metricsContentType, 'cache-control': 'no-store' },
    }),
});
