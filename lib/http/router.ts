import type { AdapterRequestContext, HattipHandler } from '@hattip/core';
import { createRouter as createHattipRouter, type RouterContext } from '@hattip/router';
import type { App } from '../app.ts';
import { ServiceError } from '../wire/errors.ts';
import { errorAnswer, finishApi } from './answer.ts';
import { preflight } from './cors.ts';
import { authorize, type Handler, type Platform } from './endpoint.ts';
import { bySpecificity, shapeOf } from './path-pattern.ts';
import { callPluginRoute } from './plugin-route.ts';
import { nameRequest } from './request-id.ts';
import { withoutBody } from './respond.ts';

/** What the host hands over with each request; the router adds the rest of {@link Platform}. */
export type Connection = Pick<Platform, 'signal' | 'readBody'>;
type Context = RouterContext<Record<string, string>, Connection>;
type Methods = Map<string, Handler>;

/**
 * One fetch handler over all routes: the handlers' own, then those of plugins (under `/api`), then the catch-all of static
 * files. Adds what the matching library has not: 405 with `Allow`, HEAD, OPTIONS, the error envelope for unknown paths.
 * Throws when two handlers claim the same method and path. Never rejects.
 */
export function createRouter(handlers: readonly Handler[], app: App): HattipHandler<Connection> {
  const table = tableOf(handlers);
  const paths = [...table.keys()].sort(bySpecificity);
  const router = createHattipRouter<Connection>();
  const mount = (path: string) =>
    router.use<Record<string, string>>(path, (context) =>
      // Here, because the library answers what reaches it in its own words.
      dispatch(context, table.get(path) ?? new Map(), app).catch((error) => errorAnswer(error, app, context.request)),
    );
  for (const path of paths.filter(isApiPath)) mount(path);
  mount('/api/*');
  for (const path of paths.filter((path) => !isApiPath(path))) mount(path);
  router.use(({ request }) => errorAnswer(notFound(), app, request));
  const handler = router.buildHandler();
  return async (context) => {
    try {
      return nameRequest(await handler(context), context.request);
    } catch (error) {
      return nameRequest(errorAnswer(error, app, context.request), context.request);
    }
  };
}

async function dispatch(context: Context, methods: Methods, app: App): Promise<Response> {
  const { request, url, method } = context;
  const isApi = url.pathname === '/api' || isApiPath(url.pathname);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const plugin = isApi ? app.routes.match(wanted, url.pathname) : undefined;
  const known = [...methods.keys(), ...(plugin?.methods ?? [])];
  if (method === 'OPTIONS' && (isApi || known.length > 0)) return preflight(request, app.config.server, known);

  const own = methods.get(wanted);
  const platform = { ...context.platform, app, url, params: context.params };
  if (own) return own(outer(context, platform));
  if (plugin?.route) {
    const { route, pluginId = '', params } = plugin;
    return head(method, await callPluginRoute(outer(context, { ...platform, params }), route, pluginId));
  }
  const isPublic = plugin?.isPublic || [...methods.values()].some((handler) => handler.route.access === 'public');
  const answer = await refuse(context, { known, methods, isPublic }, app).catch((error: unknown) =>
    errorAnswer(error, app, request),
  );
  return head(method, isApi ? finishApi(answer, request, app) : answer);
}

/** No handler: 401 before anything is told about a path that needs a credential, then 405 or 404. */
async function refuse(
  context: Context,
  { known, methods, isPublic }: { known: string[]; methods: Methods; isPublic: boolean },
  app: App,
): Promise<Response> {
  if (!isPublic) await authorize(context.request, context.ip, app, 'user');
  if (known.length === 0) throw notFound();
  const files = [...methods.values()].find((handler) => handler.route.path === '/*');
  if (files) {
    // Only the files know which of all paths exist.
    const request = new Request(context.url);
    const file = await files({ ...outer(context, { ...context.platform, app, url: context.url }), request });
    if (!file.ok) return file;
    await file.body?.cancel();
  }
  const allow = [...new Set(known.includes('GET') ? [...known, 'HEAD'] : known), 'OPTIONS'].join(', ');
  throw new ServiceError('method_not_allowed', `This path answers ${allow}.`, { headers: { allow } });
}

function tableOf(handlers: readonly Handler[]): Map<string, Methods> {
  const pathOfShape = new Map<string, string>();
  const table = new Map<string, Methods>();
  for (const handler of handlers) {
    const { method, path } = handler.route;
    const shape = shapeOf(path);
    const known = pathOfShape.get(shape) ?? path;
    pathOfShape.set(shape, known);
    if (known !== path) throw new Error(`Routes ${known} and ${path} match the same paths; use the same names.`);
    const methods = table.get(path) ?? new Map<string, Handler>();
    if (methods.has(method)) throw new Error(`Route ${method} ${path} is mounted twice.`);
    table.set(path, methods.set(method, handler));
  }
  return table;
}

/** The adapter's context with our platform; the routing library's additions stay behind. */
function outer(context: Context, platform: Platform): AdapterRequestContext<Platform> {
  const { request, ip } = context;
  return {
    request,
    ip,
    platform,
    env: (variable) => context.env(variable),
    passThrough: () => context.passThrough(),
    waitUntil: (promise) => context.waitUntil(promise),
  };
}

function head(method: string, response: Response): Response {
  return method === 'HEAD' ? withoutBody(response) : response;
}

function isApiPath(path: string): boolean {
  return path.startsWith('/api/');
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'There is nothing at this path.');
}
