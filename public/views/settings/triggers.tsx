import { fullTime, moment } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { useLoaded } from '../parts/hooks.ts';
import { Pending } from '../parts/pending.tsx';

/** An entry of `GET /api/triggers`. */
interface Trigger {
  id: string;
  title?: string;
  model?: string;
  last?: { sessionId: string; at: string };
}
interface Webhook extends Trigger {
  path: string;
  public: boolean;
  protection: string;
}
interface Schedule extends Trigger {
  cron: string;
  active: boolean;
  next?: string;
}

/** What starts sessions by itself: webhooks and schedules, with their last session and a button to run one now. */
export function Triggers() {
  const { api, fail } = useConsole();
  const [list, again] = useLoaded(
    () => api().request<{ webhooks: Webhook[]; schedules: Schedule[] }>('GET', '/api/triggers'),
    [],
  );
  const run = (id: string) =>
    api()
      .request<{ sessionId: string }>('POST', `/api/triggers/${encodeURIComponent(id)}/run`, { body: {} })
      .then(({ sessionId }) => {
        location.hash = links.session(sessionId);
      }, fail)
      .finally(again);
  if (list.state !== 'ready') return <Pending of={list} />;
  const { webhooks, schedules } = list.value;
  return (
    <>
      <section class="card">
        <h2>Webhooks</h2>
        {webhooks.length === 0 && <p class="note">None is configured.</p>}
        {webhooks.map((hook) => (
          <Entry key={hook.id} trigger={hook} onRun={() => run(hook.id)}>
            <code>POST {new URL(hook.path.slice(1), document.baseURI).href}</code>
            <span class={hook.public ? 'pill warn' : 'pill'}>
              {hook.public ? 'public' : 'signed-in callers'}, {hook.protection}
            </span>
          </Entry>
        ))}
      </section>
      <section class="card">
        <h2>Schedules</h2>
        {schedules.length === 0 && <p class="note">None is configured.</p>}
        {schedules.map((schedule) => (
          <Entry key={schedule.id} trigger={schedule} onRun={() => run(schedule.id)}>
            <code>{schedule.cron}</code>
            <span class="muted">
              {schedule.active ? 'running now' : schedule.next ? `next on ${moment(schedule.next)}` : 'never'}
            </span>
          </Entry>
        ))}
      </section>
    </>
  );
}

function Entry(props: { trigger: Trigger; onRun: () => unknown; children: preact.ComponentChildren }) {
  const { id, title, last } = props.trigger;
  return (
    <div class="trigger">
      <div class="trigger-head">
        <strong>{title || id}</strong>
        <span class="spring" />
        {last && (
          <a href={links.session(last.sessionId)} title={fullTime(last.at)}>
            Last session
          </a>
        )}
        <Button onClick={props.onRun}>Run now</Button>
      </div>
      <div class="trigger-facts">{props.children}</div>
    </div>
  );
}
