import { plural } from '../../state/format.ts';
import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { Icon } from '../parts/icon.tsx';

/** What is there and what is not, as the service says it. */
export function Setup() {
  const { store } = useConsole();
  const boot = store.boot.value;
  const config = store.config.value;
  if (!boot) return null;
  const failed = boot.plugins.filter(({ state }) => state === 'failed');
  const asking = boot.tools.filter(({ permission }) => permission === 'ask').length;
  return (
    <ul class="setup" aria-label="This service">
      <Entry good>
        {boot.name} {boot.version}, protocol {boot.protocol}
      </Entry>
      <Entry good={boot.models.length > 0}>
        {boot.models.length > 0 ? boot.models.map(({ label, id }) => label ?? id).join(', ') : 'no model'}
      </Entry>
      <Entry good={boot.tools.length > 0}>
        {plural(boot.tools.length, 'tool')}
        {asking > 0 ? `, ${asking} ask first` : ''}
      </Entry>
      <Entry good={failed.length === 0}>
        <a href={links.settings('plugins')}>{plural(boot.plugins.length, 'plugin')}</a>
        {failed.map(({ id, error }) => `, ${id} failed: ${error ?? 'no reason given'}`)}
      </Entry>
      <Entry good={config?.checkpoints.enabled !== false}>
        {config?.checkpoints.enabled === false ? 'checkpoints are off: files can not be restored' : 'checkpoints'}
      </Entry>
      <Entry good>
        Tenant {store.me.value?.tenant.id}, authentication: {store.me.value?.mode}
      </Entry>
    </ul>
  );
}

function Entry({ good, children }: { good: boolean; children: preact.ComponentChildren }) {
  return (
    <li class={good ? 'good' : 'bad'}>
      <Icon name={good ? 'check' : 'warn'} />
      <span>{children}</span>
    </li>
  );
}
