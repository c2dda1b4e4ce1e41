import type { Caller } from '../../../lib/wire/identity.ts';
import { canNotify } from '../../service/notify.ts';
import { plural } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Icon } from '../parts/icon.tsx';

/** What is there and what is not, as the service says it. */
export function Setup() {
  const { store } = useConsole();
  const boot = store.boot.value;
  const config = store.config.value;
  const me = store.me.value;
  if (!boot) return null;
  const failed = boot.plugins.filter(({ state }) => state === 'failed');
  const asking = boot.tools.filter(({ permission }) => permission === 'ask').length;
  return (
    <section class="card setup-card" aria-label="This service">
      <h2>This service</h2>
      <ul class="setup">
        <Entry good={true}>
          {boot.name} {boot.version}, protocol {boot.protocol}
        </Entry>
        <Entry good={boot.models.length > 0}>
          {boot.models.length > 0
            ? `${plural(boot.models.length, 'model')}: ${boot.models.map(({ label, id }) => label ?? id).join(', ')}`
            : 'No model is registered'}
        </Entry>
        <Entry good={boot.tools.length > 0}>
          {plural(boot.tools.length, 'tool')}
          {asking > 0 ? `, ${asking} ask before they act` : ''}
        </Entry>
        <Entry good={failed.length === 0}>
          <a href={links.settings('plugins')}>{plural(boot.plugins.length, 'plugin')}</a>
          {failed.map(({ id, error }) => `, ${id} failed: ${error ?? 'no reason given'}`)}
        </Entry>
        <Entry good={config?.checkpoints.enabled !== false}>
          {config?.checkpoints.enabled === false
            ? 'Checkpoints are off: files cannot be restored'
            : 'Checkpoints: files can be restored'}
        </Entry>
        <Entry good={me?.mode !== 'none'}>{whoIs(me)}</Entry>
        {canNotify() && (
          <Entry good={store.notify.value || undefined}>
            {store.notify.value ? (
              'Notifications are on'
            ) : (
              <>
                Notifications are off: <a href={links.settings()}>turn them on</a>
              </>
            )}
          </Entry>
        )}
      </ul>
    </section>
  );
}

function whoIs(me: Caller | undefined): string {
  if (!me) return '';
  if (me.mode === 'none') return 'No sign-in: whoever reaches this address may use it';
  if (!me.user) return 'Signed in with the token of this service';
  return `Signed in as ${me.user.name}, ${me.user.role === 'admin' ? 'administrator' : 'user'} of ${me.tenant.name}`;
}

/** `good` is undefined for what is neither good nor bad. */
function Entry({ good, children }: { good: boolean | undefined; children: preact.ComponentChildren }) {
  return (
    <li class={good === undefined ? '' : good ? 'good' : 'bad'}>
      <Icon name={good === undefined ? 'info' : good ? 'check' : 'warn'} />
      <span>{children}</span>
    </li>
  );
}
