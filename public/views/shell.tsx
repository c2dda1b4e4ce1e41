import { useEffect } from 'preact/hooks';
import type { Store } from '../state/store.ts';
import { Inbox } from './approvals/inbox.tsx';
import { useConsole } from './context.tsx';
import { Home } from './home/home.tsx';
import { bindKeys } from './keys.ts';
import { Layers } from './layers.tsx';
import { Login } from './login.tsx';
import { Button } from './parts/button.tsx';
import { ConnectionPill } from './parts/connection-pill.tsx';
import { lazyView } from './parts/lazy-view.tsx';
import { Toasts } from './parts/toasts.tsx';
import { SessionPage } from './session/session-page.tsx';
import { SessionTitle } from './session/session-title.tsx';
import { Sidebar } from './sidebar/sidebar.tsx';

const Settings = lazyView(() => import('./settings/settings-page.tsx').then((module) => module.SettingsPage));
const Admin = lazyView(() => import('./admin/admin-page.tsx').then((module) => module.AdminPage));

/** The frame of everything. */
export function Shell() {
  const tools = useConsole();
  const { store } = tools;
  useEffect(() => bindKeys(tools), []);
  const access = store.access.value;
  if (access.state === 'unknown')
    return (
      <p class="empty" role="status">
        Connecting…
      </p>
    );
  return (
    <>
      {access.state === 'out' ? <Login reason={access.reason} /> : <Frame />}
      <Toasts />
      <div class="visually-hidden" role="log" aria-live="polite" aria-label="Announcements" data-announcer>
        {store.announcements.value.map(({ key, text }) => (
          <p key={key}>{text}</p>
        ))}
      </div>
    </>
  );
}

function Frame() {
  const { store } = useConsole();
  const waiting = store.directory.value.approvals.length;
  const route = store.route.value;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.querySelector<HTMLElement>('main')?.focus()}>
        Skip to the content
      </button>
      <Sidebar />
      {store.sidebarOpen.value && (
        <button
          type="button"
          class="scrim"
          aria-label="Close the list"
          onClick={() => {
            store.sidebarOpen.value = false;
          }}
        />
      )}
      <div class="stage">
        <header class="topbar">
          <Button
            icon="menu"
            label="Sessions"
            tone="quiet"
            class="menu-button"
            onClick={() => {
              store.sidebarOpen.value = true;
            }}
          />
          {route.name === 'session' ? (
            <SessionTitle sessionId={route.id} />
          ) : (
            <span class="product">{store.boot.value?.name}</span>
          )}
          <span class="spring" />
          <ConnectionPill />
          <Button
            icon="contrast"
            label="Light or dark"
            tone="quiet"
            class="theme-button"
            onClick={() => flipTheme(store)}
          />
          <Button
            icon="bell"
            tone="quiet"
            label={waiting > 0 ? `${waiting} waiting for you` : 'Nothing waits for you'}
            class={waiting > 0 ? 'alerting' : ''}
            onClick={() => {
              store.layer.value = { name: 'inbox' };
            }}
          />
          {waiting > 0 && (
            <span class="badge" aria-hidden="true">
              {waiting > 99 ? '99+' : waiting}
            </span>
          )}
        </header>
        <main tabIndex={-1}>
          <Page />
        </main>
      </div>
      {store.layer.value?.name === 'inbox' ? (
        <Inbox
          onClose={() => {
            store.layer.value = undefined;
          }}
        />
      ) : (
        <Layers />
      )}
    </div>
  );
}

/** To the other one of what is shown now, whoever chose that. */
function flipTheme({ theme }: Store): void {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const shown = theme.value === 'system' ? system : theme.value;
  theme.value = shown === 'dark' ? 'light' : 'dark';
}

function Page() {
  const { store } = useConsole();
  const route = store.route.value;
  switch (route.name) {
    case 'home':
      return <Home />;
    case 'session':
      return <SessionPage key={route.id} route={route} />;
    case 'settings':
      return <Settings page={route.page} />;
    case 'admin':
      return <Admin page={route.page} />;
    default:
      return (
        <div class="empty">
          <h1>There is nothing here</h1>
          <p>This address leads nowhere.</p>
          <a class="button" href="#/">
            Start a new session
          </a>
        </div>
      );
  }
}
