import { canNotify } from '../../service/notify.ts';
import { count, duration } from '../../state/format.ts';
import type { Density, Theme } from '../../state/store.ts';
import { useConsole } from '../context.tsx';
import { Facts } from '../parts/facts.tsx';
import { useLoaded } from '../parts/hooks.ts';

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'As the system'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

const densities: readonly (readonly [Density, string])[] = [
  ['comfortable', 'Comfortable'],
  ['compact', 'Compact: tool calls in one line'],
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
  return (
    <>
      <section class="card">
        <h2>This browser</h2>
        <div class="choices">
          <Choice
            label="Theme"
            value={store.theme.value}
            options={themes}
            onChange={(theme) => {
              store.theme.value = theme;
            }}
          />
          <Choice
            label="Density"
            value={store.density.value}
            options={densities}
            onChange={(density) => {
              store.density.value = density;
            }}
          />
        </div>
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
        <Facts
          of={{
            Service: `${boot?.name} ${boot?.version}, protocol ${boot?.protocol}`,
            'Up for': health.state === 'ready' ? duration(health.value.uptimeMs) : '…',
            Workspace: config?.agent.workspace ?? '',
            Storage: `${config?.storage.driver}, ${config?.storage.directory}`,
            'Default model': config?.model.default ?? 'the first registered one',
            Approvals: `declined after ${duration(config?.approvals.timeoutMs ?? 0)}`,
            Tenant: store.me.value?.tenant.name ?? '',
            Sessions: usage.state === 'ready' ? count(usage.value.sessions) : '…',
            Tokens: usage.state === 'ready' ? count(usage.value.usage.totalTokens) : '…',
          }}
        />
      </section>
    </>
  );
}

function Choice<T extends string>(props: {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <label class="field">
      {label}
      <select
        value={value}
        onChange={(event) => {
          const chosen = options.find(([name]) => name === event.currentTarget.value);
          if (chosen) onChange(chosen[0]);
        }}
      >
        {options.map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}
