import { effect } from '@preact/signals';
import { render } from 'preact';
import { isApiError } from '../lib/client/index.ts';
import { createMarkdownRenderer } from './markdown/render.ts';
import { createConsole } from './service/console.ts';
import { createCredentials } from './service/credentials.ts';
import { badgeTitle } from './service/notify.ts';
import { createPluginSlots } from './service/plugin-slots.ts';
import { applyPreferences, readTheme } from './service/preferences.ts';
import { createScriptAddress } from './service/trusted-types.ts';
import { createHighlighter } from './service/work.ts';
import { parseRoute } from './state/route.ts';
import { createStore } from './state/store.ts';
import { ConsoleContext } from './views/context.tsx';
import { createNearObserver } from './views/parts/near.ts';
import { Shell } from './views/shell.tsx';

/** The composition root of the console: what lives is made here and handed down. */
function start(root: HTMLElement): void {
  const credentials = createCredentials();
  const store = createStore(location.hash, readTheme());
  const address = createScriptAddress();
  const console = createConsole(store, { credentials, address });
  const tools = {
    ...console,
    renderer: createMarkdownRenderer(),
    highlighter: createHighlighter(address),
    near: createNearObserver(),
    slots: createPluginSlots(console),
  };
  addEventListener('hashchange', () => {
    if (/^#\/?token=/.test(location.hash)) location.reload();
    else store.route.value = parseRoute(location.hash);
    // A dialog is about the page that it was opened on, and the list of a phone is open to leave it.
    store.layer.value = undefined;
    store.sidebarOpen.value = false;
  });
  applyPreferences(store);
  badgeTitle(store);
  effect(() => {
    store.route.value;
    if (root.contains(document.activeElement) && document.activeElement instanceof HTMLAnchorElement)
      queueMicrotask(() => document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true }));
  });
  root.replaceChildren();
  render(
    <ConsoleContext.Provider value={tools}>
      <Shell />
    </ConsoleContext.Provider>,
    root,
  );
  enter(0);

  /** Tries without a token too: the service may not want one. */
  function enter(failures: number): void {
    console.signIn('', false).catch((error: unknown) => {
      if (isApiError(error) && error.status === 401)
        return console.signOut(credentials.token ? 'This token is not accepted.' : '');
      setTimeout(() => enter(failures + 1), Math.min(500 * 2 ** failures, 5_000));
    });
  }
}

const root = document.getElementById('app');
if (root) start(root);
