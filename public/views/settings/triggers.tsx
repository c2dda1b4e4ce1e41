import { useConsole } from '../context.tsx';

interface TriggerConfig {
  webhooks?: Record<string, { title?: unknown; public?: unknown; model?: unknown }>;
  schedules?: { id?: unknown; cron?: unknown; title?: unknown }[];
}

/** The webhooks and schedules of the configuration, and how to call them. */
export function Triggers() {
  const { store } = useConsole();
  const config = store.config.value as unknown as { plugins?: { config?: Record<string, TriggerConfig> } } | undefined;
  const { webhooks = {}, schedules = [] } = config?.plugins?.config?.triggers ?? {};
  const text = (value: unknown) => (typeof value === 'string' ? value : '');
  const hooks = Object.entries(webhooks);
  return (
    <>
      <section class="card">
        <h2>Webhooks</h2>
        {hooks.length === 0 && <p class="note">None is configured.</p>}
        {hooks.map(([id, hook]) => (
          <p key={id}>
            <code>POST {new URL(`api/hooks/${encodeURIComponent(id)}`, document.baseURI).href}</code> {text(hook.title)}{' '}
            {hook.public === true && <span class="pill warn">public</span>}
          </p>
        ))}
      </section>
      <section class="card">
        <h2>Schedules</h2>
        {schedules.length === 0 && <p class="note">None is configured.</p>}
        {schedules.map((schedule, at) => (
          <p key={at}>
            <code>{text(schedule.cron)}</code> {text(schedule.id)} {text(schedule.title)}
          </p>
        ))}
      </section>
    </>
  );
}
