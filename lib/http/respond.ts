const bodyGiven = Symbol.for('service.response.body');

/** A JSON answer; 200 unless told otherwise. Answers of the API are never cached. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return jsonText(JSON.stringify(body), status, headers);
}

/** The same for a body that is JSON text already; bytes must not change any more. */
export function jsonText(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}): Response {
  const response = new Response(body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
  return Object.defineProperty(response, bodyGiven, { value: body });
}

/** The answer to a deletion. */
export function noContent(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

/** The body that {@link json} was given, so that the host can write it in one piece instead of reading a stream. */
export function bodyOf(response: Response): string | Uint8Array | undefined {
  const body: unknown = Reflect.get(response, bodyGiven);
  return (typeof body === 'string' || body instanceof Uint8Array) && !response.bodyUsed ? body : undefined;
}

/** The answer to HEAD: status and headers of the answer to GET. Ends the body, so that a stream stops. */
export function withoutBody(response: Response): Response {
  const headers = new Headers(response.headers);
  const body = bodyOf(response);
  if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status, headers });
}
