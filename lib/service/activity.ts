import type { App } from '../app.ts';
import type { Activity } from '../wire/activity.ts';

/** What the run of a session is doing, with the sub-agent session that it waits for; undefined without a run. */
export function activityOf(app: Pick<App, 'runs' | 'sessions'>, sessionId: string): Activity | undefined {
  const activity = app.runs.activeRun(sessionId)?.activity;
  if (activity?.phase !== 'tool') return activity;
  const child = app.sessions.childrenOf(sessionId).find((session) => session.activeRunId !== undefined);
  return child ? { ...activity, childId: child.id } : activity;
}
