import { createHash, timingSafeEqual } from 'node:crypto';

export default {
  options: {
    parse({ secret }) {
      if (typeof secret !== 'string' || secret.length < 16)
        throw new Error('"secret" must have 16 characters or more.');
      return { secret };
    },
  },
  apply({ options, use, log }) {
    const routes = use('http.routes');
    const deployments = new Map();

    // Public: nobody else checks the caller, so this route does, before the body is read.
    routes.register({
      method: 'POST',
      path: '/api/deployments/:branch',
      public: true,
      authorize({ headers }) {
        if (!same(headers.get('x-deploy-secret') ?? '', options.secret)) throw unauthorized();
      },
      handler({ params, body }) {
        deployments.set(params.branch, { version: String(body?.version ?? 'unknown'), at: new Date().toISOString() });
        log.info('A deployment was reported.', { branch: params.branch });
        return { status: 201, body: { deployment: deployments.get(params.branch) } };
      },
    });

    // Private: the service has authenticated the caller already; `principal` says who it is.
    routes.register({
      method: 'GET',
      path: '/api/deployments',
      handler: ({ principal }) => ({
        body: { tenant: principal.tenantId, deployments: Object.fromEntries(deployments) },
      }),
    });
  },
};

function same(given, expected) {
  const digest = (text) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

function unauthorized() {
  const fields = { name: 'ServiceError', code: 'unauthorized', status: 401, headers: {} };
  return Object.assign(new Error('The header X-Deploy-Secret is missing or wrong.'), fields);
}
