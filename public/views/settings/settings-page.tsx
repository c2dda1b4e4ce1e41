import { links } from '../../state/route.ts';
import { useConsole } from '../context.tsx';
import { PluginSlot } from '../plugins/plugin-slot.tsx';
import { General } from './general.tsx';
import { Plugins } from './plugins.tsx';
import { Triggers } from './triggers.tsx';

const pages = [
  ['general', 'General'],
  ['plugins', 'Plugins'],
  ['triggers', 'Triggers'],
] as const;

export function SettingsPage({ page }: { page: string }) {
  const { store } = useConsole();
  const me = store.me.value;
  const administers = me?.mode !== 'accounts' || me.user?.role === 'admin';
  const hasTriggers =
    administers && store.boot.value?.plugins.some(({ id, state }) => id === 'triggers' && state === 'active');
  return (
    <div class="page">
      <div class="column">
        <h1>Settings</h1>
        <nav class="page-tabs" aria-label="Settings">
          {pages
            .filter(([name]) => name !== 'triggers' || hasTriggers)
            .map(([name, title]) => (
              <a key={name} href={links.settings(name)} aria-current={page === name ? 'page' : undefined}>
                {title}
              </a>
            ))}
        </nav>
        {page === 'general' && <General />}
        {page === 'plugins' && (
          <>
            <Plugins />
            <PluginSlot slot="settings.section" />
          </>
        )}
        {page === 'triggers' && <Triggers />}
      </div>
    </div>
  );
}
