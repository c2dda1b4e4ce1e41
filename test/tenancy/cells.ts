import { handlers } from '../../host/routes.ts';
import type { App } from '../../lib/app.ts';
import type { Access } from '../../lib/http/endpoint.ts';

/** One row of the matrix. */
export interface Row {
  method: string;
  path: string;
  access: Access;
  /** The route names a session by `:id`. */
  ofSession: boolean;
}

/** Every route of the running service: the handlers' own, those of plugins, an unknown path and a wrong method. */
export function rowsOf({ routes }: Pick<App, 'routes'>): Row[] {
  const own = handlers.map(({ route }) => route);
  const ofPlugins = routes.list().map(({ route: { method, path, public: isPublic, admin } }) => {
    const access: Access = isPublic ? 'public' : admin ? 'admin' : 'user';
    return { method, path, access };
  });
  const odd = [
    { method: 'GET', path: '/api/no/such/route', access: 'user' as const },
    { method: 'PUT', path: '/api/sessions', access: 'user' as const },
  ];
  return [...own, ...ofPlugins, ...odd].map((route) => ({
    ...route,
    ofSession: route.path.startsWith('/api/sessions/:id'),
  }));
}

/** Contract: Authentication, rules 4 and 5. The last public route is the stage's own. */
export const contractAccess = {
  public: [
    'GET /api/health',
    'GET /plugins/:id/*',
    'GET /plugins/:id/.sandbox/*',
    'GET /plugin-sandbox.html',
    'GET /*',
    'POST /api/of-plugin/:x',
  ],
  admin: [
    'GET /api/users',
    'POST /api/users',
    'POST /api/users/:id/token',
    'DELETE /api/users/:id',
    'GET /api/metrics',
    'GET /api/tenants',
    'POST /api/tenants',
    'GET /api/quotas',
    'GET /api/mcp',
    'GET /api/triggers',
    'POST /api/triggers/:id/run',
  ],
};

/** How a route is called so that whoever may call it gets something: what is not said is an empty body and a 2xx. */
export const calls: Record<string, { body?: unknown; query?: string; answers?: number[] }> = {
  'POST /api/users': { body: { name: 'New' } },
  'POST /api/tenants': { body: { name: 'New' } },
  'POST /api/sessions/:id/messages': { body: { content: 'hi' } },
  'POST /api/sessions/:id/resume': { answers: [409] },
  'POST /api/sessions/:id/rewind': { body: { messageId: 'msg_none' }, answers: [404] },
  'POST /api/sessions/:id/approvals/:approvalId': { body: { approved: true }, answers: [404] },
  'GET /api/sessions/:id/images/:hash': { answers: [404] },
  'GET /api/sessions/:id/file': { query: 'path=hello.txt' },
  'POST /api/sessions/:id/checkpoints': { answers: [409] },
  'POST /api/sessions/:id/checkpoints/:checkpointId/restore': { answers: [404, 409] },
  'GET /api/sessions/:id/checkpoints/:checkpointId/diff': { answers: [404, 409] },
  'GET /api/search': { query: 'q=words' },
  'POST /api/triggers/:id/run': { answers: [404] },
  'GET /plugins/:id/*': { answers: [404] },
  'GET /plugins/:id/.sandbox/*': { answers: [404] },
  'GET /*': { answers: [200, 404] },
  'GET /api/no/such/route': { answers: [404] },
  'PUT /api/sessions': { answers: [405] },
  'POST /api/hooks/:id': { answers: [401, 404] },
};
