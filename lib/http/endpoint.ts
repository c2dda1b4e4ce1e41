import type { AdapterRequestContext, HattipHandler } from '@hattip/core';
import type { Struct } from 'superstruct';
import type { App } from '../app.ts';
import type { Principal } from '../auth/principal.ts';
import { unauthorized } from '../auth/unauthorized.ts';
import type { Session } from '../session/session.ts';
import { ServiceError } from '../wire/errors.ts';
import { errorAnswer, finishApi } from './answer.ts';
import { checkDeclared, parseJsonObject, readBody } from './body.ts';
import { preflight } from './cors.ts';
import { guardCrossSite } from './cross-site-guard.ts';
import { decodeParams, matchPath } from './path-pattern.ts';
import { nameRequest } from './request-id.ts';
import { withoutBody } from './respond.ts';
import { untilInDoubt } from './store-deadline.ts';
import { validate } from './validate.ts';

/** What the host (or a test) hands to a handler beside the request. */
export interface Platform {
  app: App;
  /** Aborts when the client is gone. Never `request.signal`, which aborts as soon as a body was read. */
  signal: AbortSignal;
  /** Path parameters, not decoded, when a router has matched already; otherwise the handler matches its own path. */
  params?: Record<string, string>;
  /**
   * Reads the body from the connection, when the request object does not carry it; `undefined` once it is over `limit`.
   * Only `lib/http/body.ts` asks: a handler declares the body it wants.
   */
  readBody?: (limit: number) => Promise<Uint8Array | undefined>;
  /** The URL of the request when somebody has parsed it already. */
  url?: URL;
}

/** `public` needs no credential, `user` any, `admin` an administrator's. */
export type Access = 'public' | 'user' | 'admin';

/** How a handler is mounted; the route table and the tests read it from the handler itself. */
export interface RouteSpec {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Contract notation: `/api/sessions/:id`; a trailing `*` takes the rest. */
  path: string;
  access: Access;
}

/** A standalone fetch-API handler: request in, response out, everything else through `context.platform`. Never rejects. */
export type Handler = HattipHandler<Platform> & { readonly route: RouteSpec };

export type HandlerContext = AdapterRequestContext<Platform>;

/** What an endpoint's `handle` receives. */
export interface Call<Body, HasSession extends boolean> {
  app: App;
  request: Request;
  url: URL;
  params: Record<string, string>;
  principal: Principal;
  /** The session named by `:id`, in the caller's tenant. */
  session: HasSession extends true ? Session : undefined;
  body: Body;
  signal: AbortSignal;
}

export interface EndpointOptions<Body, HasSession extends boolean> {
  access: Access;
  /** True: `:id` names a session of the caller's tenant, else 404 `session_not_found`. The transcript is not loaded. */
  session?: HasSession;
  /** How the JSON body becomes `body`: a struct, or a function that throws ServiceError. Without it no body is read. */
  body?: Struct<Body, unknown> | ((value: Record<string, unknown>) => Body);
  handle(call: Call<Body, HasSession>): Response | Promise<Response>;
}

/**
 * A route of the contract as a standalone fetch handler. In this order: cross-site guard, authentication, administrator check,
 * path, session, body (limit, JSON, validation), `handle`. Whatever is thrown becomes the error envelope; nothing rejects.
 * OPTIONS and, where it answers GET, HEAD need no router either.
 */
export function endpoint<Body = undefined, HasSession extends boolean = false>(
  route: `${RouteSpec['method']} /${string}`,
  options: EndpointOptions<Body, HasSession>,
): Handler {
  const [method, path] = route.split(' ') as [RouteSpec['method'], string];
  const spec: RouteSpec = { method, path, access: options.access };
  const isApi = path.startsWith('/api/');
  const handler = async (context: HandlerContext): Promise<Response> => {
    const { request, platform } = context;
    if (request.method === 'OPTIONS')
      return nameRequest(preflight(request, platform.app.config.server, [method]), request);
    const answered = answer(context, spec, options);
    const bounded = method === 'GET' ? answered : untilInDoubt(answered, platform.app, request);
    const response = await bounded.catch((error: unknown) => errorAnswer(error, platform.app, request));
    const finished = isApi ? finishApi(response, request, platform.app) : response;
    return request.method === 'HEAD' ? withoutBody(finished) : finished;
  };
  return Object.assign(handler, { route: spec });
}

async function answer<Body, HasSession extends boolean>(
  { request, ip, platform }: HandlerContext,
  { method, path, access }: RouteSpec,
  options: EndpointOptions<Body, HasSession>,
): Promise<Response> {
  const { app, signal } = platform;
  const url = platform.url ?? new URL(request.url);
  const rawParams = platform.params ?? matchPath(path, url.pathname);
  if (!rawParams) throw new ServiceError('not_found', 'There is no such route.');
  const isRight = request.method === method || (method === 'GET' && request.method === 'HEAD');
  // Nobody without a credential is told what a path answers.
  const needed = isRight || access === 'public' ? access : 'user';
  const principal = needed === 'public' ? nobody : await authorize(request, ip, app, needed);
  if (!isRight) throw wrongMethod(method);
  const params = decodeParams(rawParams);
  // A foreign session is 404 whatever the body says; looked up again behind the body, during which it may go.
  if (options.session) findSession(app, principal, params.id);
  const body = await parseBody(request, platform, options.body);
  if (needed !== 'public') refuseRevoked(app, principal);
  const session = options.session ? findSession(app, principal, params.id) : undefined;
  return options.handle({ app, request, url, params, principal, session, body, signal } as Call<Body, HasSession>);
}

function wrongMethod(method: RouteSpec['method']): ServiceError {
  const allow = method === 'GET' ? 'GET, HEAD, OPTIONS' : `${method}, OPTIONS`;
  return new ServiceError('method_not_allowed', `This route answers ${allow}.`, { headers: { allow } });
}

/** The caller of a request that needs a credential. Throws `forbidden` or `unauthorized`. */
export async function authorize(
  request: Request,
  ip: string,
  app: Pick<App, 'auth' | 'config'>,
  access: 'user' | 'admin',
): Promise<Principal> {
  guardCrossSite(request.headers, app.config);
  const principal = await app.auth.authenticate(request, ip);
  if (access === 'admin' && !principal.admin) throw new ServiceError('forbidden', 'This is for administrators only.');
  return principal;
}

/** Behind a body, which may take its time: whoever has lost the credential meanwhile is nobody any more. Throws `unauthorized`. */
export function refuseRevoked({ auth }: Pick<App, 'auth'>, principal: Principal): void {
  if (!auth.isValid(principal)) throw unauthorized();
}

/** Public routes have no caller; what they may see is nobody's. */
const nobody: Principal = Object.freeze({ kind: 'anonymous', tenantId: '', admin: false });

async function parseBody<Body>(
  request: Request,
  platform: Platform,
  shape: EndpointOptions<Body, boolean>['body'],
): Promise<Body | undefined> {
  const limit = platform.app.config.server.bodyLimitBytes;
  if (!shape) {
    // A body without a length can only be counted; the limit holds for those that nobody wants, too.
    if (request.headers.has('transfer-encoding')) await readBody(request, limit, platform);
    else checkDeclared(request.headers, limit);
    return undefined;
  }
  const value = parseJsonObject(await readBody(request, limit, platform));
  return typeof shape === 'function' ? shape(value) : validate(value, shape);
}

function findSession(app: Pick<App, 'sessions'>, principal: Principal, id: string | undefined): Session {
  const session = id === undefined ? undefined : app.sessions.find(principal.tenantId, id);
  if (!session) throw new ServiceError('session_not_found', 'There is no such session.');
  return session;
}
