import { wholeBody, wholeResponse } from '../wire/whole-response.ts';

/** A JSON answer; 200 unless told otherwise. Answers of the API are never cached. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return jsonText(JSON.stringify(body), status, headers);
}

/** The same for a body that is JSON text already; bytes must not change any more. */
export function jsonText(
  body: string | Uint8Array<ArrayBuffer>,
  status = 200,
  headers: Record<string, string> = {},
): Response {
  return wholeResponse(body, {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...headers },
  });
}

/** The answer to a deletion. */
export function noContent(): Response {
  return new Response(null, { status: 204, headers: { 'cache-control': 'no-store' } });
}

/** The answer to HEAD: status and headers of the answer to GET. Ends the body, so that a stream stops. */
export function withoutBody(response: Response): Response {
  const headers = new Headers(response.headers);
  const body = wholeBody(response);
  if (body !== undefined) headers.set('content-length', String(Buffer.byteLength(body)));
  response.body?.cancel().catch(() => {});
  return new Response(null, { status: response.status, headers });
}
