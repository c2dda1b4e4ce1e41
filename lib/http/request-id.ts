import { randomUUID } from 'node:crypto';

export const requestIdHeader = 'x-request-id';

const wellFormed = /^[A-Za-z0-9._:-]{1,128}$/;

/** The id under which the client (or the proxy in front) knows its request when that is harmless in a log, otherwise a new one. */
export function requestIdOf(given: string | null | undefined): string {
  return typeof given === 'string' && wellFormed.test(given) ? given : randomUUID();
}

/** Gives every answer the id of its request. One that has an id already keeps it: its failure was logged under that. */
export function nameRequest(response: Response, request: Pick<Request, 'headers'>): Response {
  if (response.headers.has(requestIdHeader)) return response;
  response.headers.set(requestIdHeader, requestIdOf(request.headers.get(requestIdHeader)));
  return response;
}
