import { resolve } from 'node:path';
import type { Clock, Services, StartedRun } from '../../lib/plugin-api/index.ts';
import { parseTemplate, type Template } from './template.ts';

/** What a trigger starts: a session in a tenant with a first message. */
export interface Job {
  id: string;
  tenantId: string;
  prompt: Template;
  title?: string;
  model?: string;
  workspace?: string;
}

/** The latest session of a trigger and when it was started. */
export interface Last {
  sessionId: string;
  at: string;
}

export type Launched = StartedRun & Last;

/** Starts a job; `body` is JSON text. Rejects with a ServiceError, for instance a guard's veto; then nothing was created. */
export type Launch = (job: Job, body: string) => Promise<Launched>;

/** Guards and limits apply to what it starts as to any client. */
export function createLaunch(sessions: Services['sessions'], clock: Clock): Launch {
  return async ({ id, prompt, ...request }, body) => {
    const at = new Date(clock.now()).toISOString();
    const content = prompt({ body, id, timestamp: at });
    const { session, runId, outcome } = await sessions.start(request, content);
    return { sessionId: session.id, at, runId, outcome };
  };
}

/** A hook or schedule as it is configured; a relative workspace is one below the working directory. */
export function jobOf(
  id: string,
  options: {
    prompt: string;
    tenant?: string | undefined;
    title?: string | undefined;
    model?: string | undefined;
    workspace?: string | undefined;
  },
): Job {
  const { prompt, tenant = 'default', title, model, workspace } = options;
  return {
    id,
    tenantId: tenant,
    prompt: parseTemplate(prompt),
    ...(title === undefined ? {} : { title }),
    ...(model === undefined ? {} : { model }),
    ...(workspace === undefined ? {} : { workspace: resolve(workspace) }),
  };
}
