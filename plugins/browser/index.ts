import { definePlugin } from '../../lib/plugin-api/index.ts';
import { BrowserOptions } from './options.ts';
import type { WebReach } from './reach.ts';
import { createTabs } from './tabs.ts';
import { createBrowserTools } from './tools.ts';

/** A browser for agents (contract: Browser plugin). The browser and its library are loaded when the first page is opened. */
export default definePlugin<BrowserOptions>({
  options: BrowserOptions,
  apply({ options, use, log, onDispose }) {
    const reach = use<WebReach>('web.reach');
    const tabs = createTabs(options, { reach, clock: use('clock'), log });
    onDispose(() => tabs.closeAll());
    for (const tool of createBrowserTools(options, tabs)) use('tools').register(tool);
    use('events').subscribe((event) => {
      if (event.type === 'session.deleted') void tabs.close(event.sessionId);
    });
  },
});
