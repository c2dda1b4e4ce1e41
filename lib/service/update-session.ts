import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import type { SessionFields } from '../wire/session.ts';
import { unknownModel } from './create-session.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';

/**
 * Sets title, model or system prompt of a session without an active run (contract: PATCH). Throws `invalid_model`,
 * `session_busy`.
 */
export async function updateSession(
  app: Pick<App, 'models'>,
  session: Session,
  request: { title?: string; model?: string; systemPrompt?: string },
): Promise<void> {
  const fields: SessionFields = {};
  if (request.title !== undefined) Object.assign(fields, { title: request.title, titled: true });
  if (request.model !== undefined) {
    if (!app.models.get(request.model)) throw unknownModel(request.model);
    fields.model = request.model;
  }
  if (request.systemPrompt !== undefined) fields.systemPrompt = request.systemPrompt;
  // What follows a transcript that can't be read would stay in the log for good: no snapshot could take it over.
  await session.load();
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  if (Object.keys(fields).length === 0) return;
  await session.commit({ kind: 'updated', fields }, (record) => [
    { type: 'session.updated', sessionId: session.id, session: toSummary(record) },
  ]);
}
