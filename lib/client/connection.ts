import { readApiError } from './api-error.ts';

export interface ClientOptions {
  /** Where the service answers, with the path prefix of a proxy if there is one: `http://127.0.0.1:7331`. */
  baseUrl: string | URL;
  /** Sent as `Authorization: Bearer <token>`. */
  token?: string | undefined;
  /** Default: the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

export interface RequestOptions {
  query?: Record<string, string | number | undefined>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Sends one request. Rejects with ApiError on any answer that is not a success, with fetch's own error when there is none. */
export type Send = (method: string, path: string, options?: RequestOptions) => Promise<Response>;

/** Connects to nothing yet. Throws TypeError when `baseUrl` is no absolute URL. */
export function createSend({ baseUrl, token, fetch: given }: ClientOptions): Send {
  const base = new URL(baseUrl);
  if (!base.pathname.endsWith('/')) base.pathname += '/';
  const send = given ?? ((input, init) => fetch(input, init));

  return async (method, path, { query = {}, body, headers = {}, signal } = {}) => {
    const url = new URL(path.replace(/^\//, ''), base);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, `${value}`);
    const response = await send(url, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    if (!response.ok) throw await readApiError(response);
    return response;
  };
}
