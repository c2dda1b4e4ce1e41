import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';

/** Boot: a session stored as running was interrupted. Starts nothing by itself. Resolves with how many there were. */
export async function recoverSessions(app: Pick<App, 'sessions'>): Promise<number> {
  const running: Session[] = [];
  for (const session of app.sessions.all()) if (session.record.status === 'running') running.push(session);
  await Promise.all(running.map((session) => session.commit({ kind: 'updated', fields: { status: 'interrupted' } })));
  return running.length;
}
