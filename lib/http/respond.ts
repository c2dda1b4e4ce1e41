const bodyText = Symbol.for('service.response.text');

/** A JSON answer; 200 unless told otherwise. Answers of the API are never cached. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return jsonText(JSON.stringify(body), status, headers);
}

/** The same for a body that is JSON text already. */
export function jsonText(text: string, status = 200, headers: Record<string, string> = {}): Response {
  const response = new Response(text, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
  return Object.defineProperty(response, bodyText, { value: text });
}

export function noContent(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

/** The body that {@link json} was given as text, so that the host can write it in one piece instead of reading a stream. */
export function textOf(response: Response): string | undefined {
  const text: unknown = Reflect.get(response, bodyText);
  return typeof text === 'string' && !response.bodyUsed ? text : undefined;
}

/** The answer to HEAD: status and headers of the answer to GET. Ends the body, so that a stream stops. */
export function withoutBody(response: Response): Response {
  const headers = new Headers(response.headers);
  const text = textOf(response);
  if (text !== undefined) headers.set('content-length', String(Buffer.byteLength(text)));
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status, headers });
}
