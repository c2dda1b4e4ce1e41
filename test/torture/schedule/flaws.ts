import { handlers } from '../../../host/routes.ts';
import { isoTime } from '../../../lib/base/clock.ts';
import { endpoint } from '../../../lib/http/endpoint.ts';
import { json } from '../../../lib/http/respond.ts';
import { refuseWhenBusy } from '../../../lib/service/refuse.ts';
import { startRun } from '../../../lib/service/start-run.ts';
import { SendMessageRequest } from '../../../lib/wire/requests.ts';
import type { Flaws } from './steered-world.ts';

/** Looks whether the session is free, waits for something, and only then takes it: the race that the service must not have. */
export const checksTooEarly: Flaws = {
  handlers(step) {
    const wrong = endpoint('POST /api/sessions/:id/messages', {
      access: 'user',
      session: true,
      body: SendMessageRequest,
      async handle({ app, session, body: { content } }) {
        await session.load();
        refuseWhenBusy(session);
        await step('a guard that asks elsewhere');
        const run = app.runs.claim(session);
        const message = { id: app.newId('msg'), role: 'user', content, createdAt: isoTime(app.clock.now()) } as const;
        await startRun(app, run, { messages: [message] });
        return json({ runId: run.id }, 202);
      },
    });
    const { method, path } = wrong.route;
    return handlers.map((each) => (each.route.method === method && each.route.path === path ? wrong : each));
  },
};

/** Says that a change is stored when it is only written: whatever crashes next finds it gone. */
export const acknowledgesTooEarly: Flaws = { acknowledges: 'written' };
