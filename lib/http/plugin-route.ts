import { stackOf } from '../base/caught.ts';
import { withinTime } from '../base/time-limits.ts';
import type { PluginRoute, PluginRouteRequest, PluginRouteResponse } from '../plugin-api/services.ts';
import { isServiceError, ServiceError } from '../wire/errors.ts';
import { wholeResponse } from '../wire/whole-response.ts';
import { errorAnswer, finishApi } from './answer.ts';
import { parseJson, readBody } from './body.ts';
import { authorize, type HandlerContext, refuseRevoked } from './endpoint.ts';
import { decodeParams } from './path-pattern.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';
import { jsonText } from './respond.ts';

/** How long a request waits for each thing that it asks a plugin. */
const timeoutMs = 30_000;

/** An answer is held in memory as a whole, for each caller. */
const mostAnswerMb = 32;

/** What the connection needs is not the plugin's to say: a wrong length would run into the next answer. */
const framing = 'connection content-length keep-alive proxy-connection te trailer transfer-encoding upgrade'.split(' ');

/**
 * Calls a plugin's route under the rules of the built-in ones (contract: Plugin HTTP routes). A failing or hanging handler
 * answers 500 `plugin_route_failed` and disturbs nobody; a ServiceError that it throws is its answer.
 */
export async function callPluginRoute(
  context: HandlerContext,
  route: PluginRoute,
  pluginId: string,
): Promise<Response> {
  const { request, platform } = context;
  const response = await answer(context, route, pluginId).catch((error: unknown) =>
    errorAnswer(error, platform.app, request),
  );
  const finished = finishApi(response, request, platform.app);
  for (const name of framing) finished.headers.delete(name);
  return finished;
}

async function answer(context: HandlerContext, route: PluginRoute, pluginId: string): Promise<Response> {
  const { request, ip, platform } = context;
  const { app } = platform;
  const principal = route.public ? undefined : await authorize(request, ip, app, route.admin ? 'admin' : 'user');
  const params = decodeParams(platform.params ?? {});
  const { headers, method } = request;
  if (route.authorize)
    await guarded(context, pluginId, async (signal) => route.authorize?.({ headers, params, signal }));
  const rawBody = await readBody(request, app.config.server.bodyLimitBytes, platform);
  if (principal) refuseRevoked(app, principal);
  const body = parseJson(rawBody);
  const { searchParams } = platform.url ?? new URL(request.url);
  const query = Object.fromEntries(searchParams);
  // The service's own credential; on a public route it can only be the plugin's.
  if (!route.public) delete query.token;
  return guarded(context, pluginId, async (signal) => {
    const call: PluginRouteRequest = { method, params, query, body, rawBody, headers, signal };
    if (principal) call.principal = { ...principal };
    const result: unknown = await route.handler(call);
    const strange = strangeKeys(result);
    if (strange.length > 0)
      app.log.warn(
        `${method} ${route.path} returned ${quoted(strange)} and no status, headers or body: it is left out.`,
        {
          plugin: pluginId,
        },
      );
    return toResponse((result ?? undefined) as PluginRouteResponse | undefined);
  });
}

/**
 * Runs the plugin's code within the time allowed: what it throws beside a ServiceError is its failure, told to the log only.
 * Its signal aborts when the client is gone, and when nobody waits any more.
 */
async function guarded<T>(
  { platform, request }: HandlerContext,
  pluginId: string,
  fn: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const work = fn(AbortSignal.any([platform.signal, stop.signal]));
  try {
    const late = () => new Error(`no answer within ${timeoutMs} ms`);
    return await withinTime(platform.app.clock, timeoutMs, { work, late });
  } catch (error) {
    if (isServiceError(error)) throw error;
    const requestId = requestIdOf(request.headers.get(requestIdHeader));
    const { method } = request;
    platform.app.log.error('A plugin route failed.', { requestId, plugin: pluginId, method, error: stackOf(error) });
    const headers = { [requestIdHeader]: requestId };
    throw new ServiceError('plugin_route_failed', `The plugin \`${pluginId}\` ${failureText(error)}.`, { headers });
  } finally {
    stop.abort();
  }
}

/** What a caller is told of a failure, whose own words stay in the log. */
function failureText(error: unknown): string {
  const isTooLarge = error instanceof Error && error.name === 'AnswerTooLarge';
  return isTooLarge ? `answered with more than ${mostAnswerMb} MB` : 'failed to answer this request';
}

/** The keys of a result that has none of those that count. Throws when it is no such object at all. */
function strangeKeys(result: unknown): string[] {
  if (result === undefined || result === null) return [];
  if (typeof result !== 'object' || Array.isArray(result) || result instanceof Response)
    throw new Error('a handler must return { status?, headers?, body? }, with what it has to say as the body');
  const keys = Object.keys(result);
  return ['status', 'headers', 'body'].some((key) => key in result) ? [] : keys;
}

function quoted(keys: readonly string[]): string {
  return keys
    .slice(0, 5)
    .map((key) => `"${key}"`)
    .join(', ');
}

/** JSON unless the plugin names another content type and gives text or bytes. Throws when it is too large, or no JSON. */
function toResponse(result: PluginRouteResponse | undefined): Response {
  const { status = 200, headers: given = {}, body = { ok: true } } = result ?? {};
  if ([204, 205, 304].includes(status)) return new Response(null, { status, headers: given });
  // In lower case: a name must replace ours, however the plugin spells it.
  const headers = Object.fromEntries(new Headers(given));
  if (headers['content-type'] !== undefined && (typeof body === 'string' || body instanceof Uint8Array))
    // Of bytes a copy: the plugin may use them again.
    return wholeResponse(typeof body === 'string' ? checkSize(body) : checkSize(body).slice(), { status, headers });
  const text: string | undefined = JSON.stringify(body);
  if (text === undefined) throw new Error(`a body of type ${typeof body} is no JSON`);
  return jsonText(checkSize(text), status, headers);
}

function checkSize<T extends string | Uint8Array>(body: T): T {
  const bytes = Buffer.byteLength(body);
  if (bytes <= mostAnswerMb * 1024 * 1024) return body;
  throw Object.assign(new Error(`an answer of ${bytes} bytes`), { name: 'AnswerTooLarge' });
}
