import { type PluginRoute, type PluginRouteRequest, ServiceError } from '../../lib/plugin-api/index.ts';
import type { Launch } from './job.ts';
import { type Schedule, startSchedule } from './schedules.ts';
import { bodyText, type Webhook } from './webhooks.ts';

export interface Triggers {
  webhooks: readonly Webhook[];
  schedules: readonly Schedule[];
}

/** What administrators see and do: `GET /api/triggers` and `POST /api/triggers/:id/run`. */
export function adminRoutes(triggers: Triggers, launch: Launch, now: () => number): PluginRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/triggers',
      admin: true,
      handler: () => ({ body: listOf(triggers, now()) }),
    },
    {
      method: 'POST',
      path: '/api/triggers/:id/run',
      admin: true,
      async handler(request) {
        const { id = '' } = request.params;
        const { sessionId, runId } = await start(triggers, id, { launch, request });
        return { status: 202, body: { trigger: id, sessionId, runId } };
      },
    },
  ];
}

/** Secrets are not in it, only how a hook is protected. */
function listOf({ webhooks, schedules }: Triggers, now: number): Record<string, unknown> {
  return {
    webhooks: webhooks.map(({ job, protection, public: isPublic, last }) => ({
      ...about(job),
      path: `/api/hooks/${job.id}`,
      public: isPublic,
      protection: protection.kind,
      ...(last === undefined ? {} : { last }),
    })),
    schedules: schedules.map(({ job, cron, times, ledger, active }) => {
      const next = times.next(now);
      return {
        ...about(job),
        cron,
        active,
        ...(next === undefined ? {} : { next: new Date(next).toISOString() }),
        ...(ledger.last === undefined ? {} : { last: ledger.last }),
      };
    }),
  };
}

function about({ prompt: _, ...job }: Webhook['job']): Record<string, unknown> {
  return job;
}

/** A schedule goes before a webhook of the same id; the body is that of the hook's call. */
async function start(
  { webhooks, schedules }: Triggers,
  id: string,
  { launch, request }: { launch: Launch; request: PluginRouteRequest },
) {
  const schedule = schedules.find(({ job }) => job.id === id);
  if (schedule) return startSchedule(schedule, launch);
  const webhook = webhooks.find(({ job }) => job.id === id);
  if (!webhook) throw new ServiceError('not_found', 'There is no such trigger. GET /api/triggers lists them.');
  const launched = await launch(webhook.job, bodyText(request));
  webhook.last = { sessionId: launched.sessionId, at: launched.at };
  return launched;
}
