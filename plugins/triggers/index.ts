import { definePlugin } from '../../lib/plugin-api/index.ts';
import { adminRoutes } from './admin-routes.ts';
import { createLaunch } from './job.ts';
import { Options } from './options.ts';
import { readSchedules, runSchedules } from './schedules.ts';
import { readWebhook, webhookRoute } from './webhooks.ts';

const leastTickMs = 1_000;

/** Work that starts by itself: a call from outside, or the time (contract: Triggers). */
export default definePlugin({
  options: Options,
  async apply({ options, log, use, onDispose }) {
    const clock = use('clock');
    const launch = createLaunch(use('sessions'), clock);
    const routes = use('http.routes');
    const webhooks = Object.entries(options.webhooks).map(([id, hook]) => readWebhook(id, hook, process.env));
    const schedules = await readSchedules(options.schedules, { state: use('state'), log });
    if (options.tickMs < leastTickMs) log.warn(`"tickMs" is below ${leastTickMs}; ${leastTickMs} is used.`);
    for (const hook of webhooks) routes.register(webhookRoute(hook, launch));
    for (const route of adminRoutes({ webhooks, schedules }, launch, () => clock.now())) routes.register(route);
    const tickMs = Math.max(leastTickMs, options.tickMs);
    onDispose(runSchedules(schedules, { tickMs, clock, log, launch }));
  },
});
