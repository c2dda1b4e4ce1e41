import type { App } from '../app.ts';
import { ServiceError } from '../wire/errors.ts';
import { inDoubtText, pathOf } from './answer.ts';
import { requestIdHeader, requestIdOf } from './request-id.ts';

/** As long as the SQL driver gives a statement. */
const patienceMs = 30_000;
const lookMs = 1_000;

/**
 * The answer of a request that changes something, or a 500 when the store has been asked for longer than 30 s and does not
 * know what became of it: the client is told to look. The change itself goes on: it is made as a whole later, with its
 * events, or not at all.
 */
export function untilInDoubt(
  work: Promise<Response>,
  app: Pick<App, 'clock' | 'store' | 'log'>,
  request: Pick<Request, 'method' | 'url' | 'headers'>,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (!app.store.inDoubt?.()) {
        cancel = app.clock.after(lookMs, look);
        return;
      }
      const requestId = requestIdOf(request.headers.get(requestIdHeader));
      const fields = { requestId, method: request.method, path: pathOf(request) };
      app.log.error('A change was answered before it was known whether it is stored.', fields);
      const why =
        app.store.trouble?.() === 'read-only' ? 'The data directory is read-only' : 'The store does not answer';
      const headers = { [requestIdHeader]: requestId };
      reject(new ServiceError('internal_error', `${why}, so ${inDoubtText}`, { headers }));
    };
    let cancel = app.clock.after(patienceMs, look);
    work.then(resolve, reject).finally(() => cancel());
  });
}
