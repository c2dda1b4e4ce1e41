import { canNotify } from '../../service/notify.ts';
import { duration } from '../../state/format.ts';
import type { Theme } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { useLoaded } from '../parts/hooks.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** What belongs to this browser, and what the service says of itself. */
export function General() {
  const { store, api, say } = useConsole();
  const [usage] = useLoaded(() => api().usage(), []);
  const [health] = useLoaded(() => api().health(), []);
  const config = store.config.value;
  const boot = store.boot.value;
  const allowNotifications = async (on: boolean) => {
    if (on && (await Notification.requestPermission()) !== 'granted')
      return say('The browser does not allow notifications for this page.', 'danger');
    store.notify.value = on;
  };
  const facts: [string, string][] = [
    ['Service', `${boot?.name} ${boot?.version}, protocol ${boot?.protocol}`],
    ['Up for', health.state === 'ready' ? duration(health.value.uptimeMs) : '…'],
    ['Workspace', config?.agent.workspace ?? ''],
    ['Storage', `${config?.storage.driver}, ${config?.storage.directory}`],
    ['Default model', config?.model.default ?? 'the first registered one'],
    ['Approvals', `declined after ${duration(config?.approvals.timeoutMs ?? 0)}`],
    ['Tenant', store.me.value?.tenant.name ?? ''],
    ['Sessions', usage.state === 'ready' ? String(usage.value.sessions) : '…'],
    ['Tokens', usage.state === 'ready' ? usage.value.usage.totalTokens.toLocaleString() : '…'],
  ];
  return (
    <>
      <section class="card">
        <h2>This browser</h2>
        <label class="field">
          Theme
          <select
            value={store.theme.value}
            onChange={(event) => {
              store.theme.value = themes.find(([name]) => name === event.currentTarget.value)?.[0] ?? 'system';
            }}
          >
            {themes.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
        {canNotify() ? (
          <label class="check">
            <input
              type="checkbox"
              checked={store.notify.value}
              onChange={(event) => void allowNotifications(event.currentTarget.checked)}
            />
            Notify me when a run ends or waits for approval
          </label>
        ) : (
          <p class="note">Notifications need https or localhost.</p>
        )}
      </section>
      <section class="card">
        <h2>The service</h2>
        <dl class="facts">
          {facts.map(([term, text]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  );
}
