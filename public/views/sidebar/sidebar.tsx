import { useState } from 'preact/hooks';
import { links } from '../../state/route.ts';
import { groupSessions } from '../../state/session-tree.ts';
import { useConsole } from '../context.tsx';
import { Button } from '../parts/button.tsx';
import { Icon } from '../parts/icon.tsx';
import { PluginSlot } from '../plugins/plugin-slot.tsx';
import { SessionRow } from './session-row.tsx';

const firstRows = 200;

/** The work queue: what needs a person first, then by day. */
export function Sidebar() {
  const { store } = useConsole();
  const [query, setQuery] = useState('');
  const [all, setAll] = useState(false);
  const hidden = store.deleting.value;
  const groups = groupSessions(store.directory.value, { query, today: new Date() });
  const total = groups.reduce((sum, { nodes }) => sum + nodes.length, 0);
  const route = store.route.value;
  const open = route.name === 'session' ? route.id : undefined;
  const close = () => {
    store.sidebarOpen.value = false;
  };
  let left = all ? Number.POSITIVE_INFINITY : firstRows;
  return (
    <nav class={`sidebar ${store.sidebarOpen.value ? 'open' : ''}`} aria-label="Sessions">
      <div class="sidebar-top">
        <a class="button primary new-session" href={links.home} onClick={close}>
          <Icon name="plus" /> New session
        </a>
        <label class="search">
          <Icon name="search" />
          <span class="visually-hidden">Search sessions</span>
          <input
            type="search"
            placeholder="Search"
            value={query}
            onInput={(event) => setQuery(event.currentTarget.value)}
          />
        </label>
      </div>
      <div class="session-list" tabIndex={0} role="region" aria-label="Session list">
        {groups.map(({ title, nodes }) => {
          const shown = nodes.filter(({ session }) => !hidden.has(session.id)).slice(0, Math.max(0, left));
          left -= shown.length;
          if (shown.length === 0) return null;
          return (
            <section key={title}>
              <h2>{title}</h2>
              <ul>
                {shown.map((node) => (
                  <SessionRow key={node.session.id} node={node} open={open} onOpen={close} />
                ))}
              </ul>
            </section>
          );
        })}
        {total === 0 && store.listed.value && <p class="empty">{query ? 'No session matches.' : 'No sessions yet.'}</p>}
        {!all && total > firstRows && (
          <Button tone="quiet" onClick={() => setAll(true)}>{`Show all ${total} sessions`}</Button>
        )}
      </div>
      <PluginSlot slot="sidebar.footer" />
      <SidebarFoot />
    </nav>
  );
}

function SidebarFoot() {
  const { store, signOut } = useConsole();
  const me = store.me.value;
  const admin = me?.mode === 'accounts' && me.user?.role === 'admin';
  return (
    <footer class="sidebar-foot">
      <span class="who" title={me?.tenant.name}>
        {me?.user?.name ?? me?.tenant.name ?? ''}
      </span>
      {admin && (
        <a class="button quiet icon-only" href={links.admin()} aria-label="Administration" title="Administration">
          <Icon name="people" />
        </a>
      )}
      <a class="button quiet icon-only" href={links.settings()} aria-label="Settings" title="Settings">
        <Icon name="sliders" />
      </a>
      {me && me.mode !== 'none' && (
        <Button tone="quiet" onClick={() => signOut()}>
          Sign out
        </Button>
      )}
    </footer>
  );
}
