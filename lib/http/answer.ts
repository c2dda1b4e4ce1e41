import type { App } from '../app.ts';
import { stackOf } from '../base/caught.ts';
import { hideInValue } from '../base/secrets.ts';
import { errorResponse, isServiceError, ServiceError } from '../wire/errors.ts';
import { addCors } from './cors.ts';
import { nameRequest, requestIdHeader, requestIdOf } from './request-id.ts';

/** Turns whatever was thrown into an answer: a ServiceError as it is, anything else logged and as a generic 500. */
export function errorAnswer(
  error: unknown,
  app: Pick<App, 'log' | 'hideSecrets'>,
  request: Pick<Request, 'method' | 'url'> & Partial<Pick<Request, 'headers'>>,
): Response {
  if (isServiceError(error)) return errorResponse(withoutSecrets(error, app));
  const requestId = requestIdOf(request.headers?.get(requestIdHeader));
  const { method } = request;
  app.log.error('A request failed.', { requestId, method, path: pathOf(request), error: stackOf(error) });
  const headers = { [requestIdHeader]: requestId };
  return errorResponse(new ServiceError('internal_error', storeText(error) ?? unknownText, { headers }));
}

const unknownText = 'The service failed to answer this request.';

/** What a caller should know of a store that refused, is closed, can't read or can't tell the fate of a change; its own words stay in the log. */
function storeText(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (error.name === 'StoreClosed') return 'The service is stopping, so it did nothing. Try again in a moment.';
  if (error.name === 'StoreInDoubt') return `The store did not finish the change, so ${inDoubtText}`;
  if (error.name === 'TranscriptUnreadable') return unreadableText;
  if (error.name === 'DatabaseLost') return 'The database does not answer now. Try again in a moment.';
  if (error.name !== 'NotStored') return undefined;
  const code = 'code' in error ? String(error.code) : '';
  return `The change was not stored, because ${storeReasons[code] ?? 'the store cannot write now'}. Nothing was changed; try again later.`;
}

const unreadableText =
  'The transcript of this session cannot be read, so nothing was done. The log of the service says why; other sessions are ' +
  'not affected. Restore a backup, or delete the session.';

/** What nobody can know yet. */
export const inDoubtText =
  'it is not known yet whether the change was made. It will be made as a whole or not at all: look before you repeat it.';

const storeReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk of the data directory is full',
  EDQUOT: 'the disk of the data directory is full',
  EROFS: 'the data directory is read-only',
};

/** The last step of every API answer, errors too: CORS, and no guessing of content types. */
export function finishApi(response: Response, request: Request, app: Pick<App, 'config'>): Response {
  const answer = nameRequest(isFrozen(response) ? new Response(response.body, response) : response, request);
  addCors(answer.headers, request, app.config.server);
  answer.headers.set('x-content-type-options', 'nosniff');
  return answer;
}

/** The path without the query, which may carry a token. */
export function pathOf(request: Pick<Request, 'url'>): string {
  return new URL(request.url).pathname;
}

/** A plugin's guard or route may quote what a provider told it. */
function withoutSecrets(
  { code, status, message, details, headers }: ServiceError,
  { hideSecrets }: Pick<App, 'hideSecrets'>,
): Pick<ServiceError, 'code' | 'status' | 'message' | 'details' | 'headers'> {
  const clean = details === undefined ? undefined : hideInValue(details, hideSecrets);
  return { code, status, message: hideSecrets(message), details: clean, headers };
}

/** Answers of `fetch` and `Response.redirect` have headers that can't be set. */
function isFrozen(response: Response): boolean {
  return response.type !== 'default' || (response.status >= 301 && response.status <= 308 && response.status !== 304);
}
