import type { Config } from '../config/config.ts';

type CorsConfig = Pick<Config['server'], 'corsOrigins'>;

const allowedHeaders = 'authorization, content-type, last-event-id, x-service-hook-secret';

/** Adds the headers that let a page of another origin read the answer (contract: Authentication, rule 7). Never with credentials. */
export function addCors(headers: Headers, request: Request, { corsOrigins }: CorsConfig): void {
  if (corsOrigins.includes('*')) {
    headers.set('access-control-allow-origin', '*');
  } else {
    headers.append('vary', 'origin');
    const origin = request.headers.get('origin');
    if (origin !== null && corsOrigins.includes(origin)) headers.set('access-control-allow-origin', origin);
  }
  headers.set('access-control-expose-headers', 'retry-after, allow, x-request-id');
}

/** The answer to OPTIONS, without a credential. `extra` names methods beyond the usual that the path knows. */
export function preflight(request: Request, config: CorsConfig, extra: readonly string[] = []): Response {
  const methods = new Set(['GET', 'POST', 'PATCH', 'DELETE', ...extra]);
  const headers = new Headers({
    'access-control-allow-methods': [...methods].join(', '),
    'access-control-allow-headers': allowedHeaders,
    'access-control-max-age': '600',
  });
  addCors(headers, request, config);
  return new Response(null, { status: 204, headers });
}
