import type { Browser } from 'playwright-core';
import type { Clock, Logger, Undo } from '../../lib/plugin-api/index.ts';
import { findChromium } from './find-chromium.ts';
import { launchBrowser } from './launch.ts';
import type { BrowserOptions } from './options.ts';
import type { WebReach } from './reach.ts';
import { openTab, type Tab } from './tab.ts';

/** The tabs of all sessions in one browser process, which is there as long as there is a tab. */
export interface Tabs {
  /** The tab of a session, if it has one. */
  get(sessionId: string): Tab | undefined;
  /** The tab of a session, with a browser around it if there is none yet. */
  ensure(sessionId: string): Promise<Tab>;
  /** Starts the time after which an unused tab is closed anew. */
  touch(sessionId: string): void;
  close(sessionId: string): Promise<void>;
  closeAll(): Promise<void>;
}

interface Entry {
  opening: Promise<Tab>;
  tab: Tab | undefined;
  cancelIdle: Undo;
}

/** Each takes about 60 MB. The tab that was not used for the longest time goes when there are more. */
const mostTabs = 32;

/** Starts nothing before the first tab. */
export function createTabs(
  options: BrowserOptions,
  { reach, clock, log }: { reach: WebReach; clock: Clock; log: Logger },
): Tabs {
  /** In the order of their last use. */
  const tabs = new Map<string, Entry>();
  const proxyPorts = new Set<number>();
  let browser: Promise<Browser> | undefined;
  let stopped = false;

  const ensureBrowser = (): Promise<Browser> => {
    if (browser) return browser;
    const starting = findChromium(options.executable).then((file) => launchBrowser(file, options));
    const lost = (): void => {
      if (browser !== starting) return;
      browser = undefined;
      for (const sessionId of [...tabs.keys()]) void close(sessionId);
    };
    starting.then((started) => started.on('disconnected', lost), lost);
    browser = starting;
    return starting;
  };

  const forget = (sessionId: string, opening: Promise<Tab>): void => {
    const entry = tabs.get(sessionId);
    if (entry?.opening !== opening) return;
    entry.cancelIdle();
    tabs.delete(sessionId);
    if (tabs.size === 0) void stopBrowser();
  };

  const stopBrowser = async (): Promise<void> => {
    const running = browser;
    browser = undefined;
    const started = await running?.catch(() => undefined);
    await started?.close().catch((error: unknown) => log.warn('The browser did not close.', { error: String(error) }));
  };

  const close = async (sessionId: string): Promise<void> => {
    const entry = tabs.get(sessionId);
    if (entry === undefined) return;
    forget(sessionId, entry.opening);
    await (await entry.opening.catch(() => undefined))?.close();
  };

  const touch = (sessionId: string): void => {
    const entry = tabs.get(sessionId);
    if (entry === undefined) return;
    entry.cancelIdle();
    entry.cancelIdle = clock.after(options.idleMs, () => void close(sessionId));
    tabs.delete(sessionId);
    tabs.set(sessionId, entry);
  };

  const open = (sessionId: string): Promise<Tab> => {
    const opening: Promise<Tab> = (async () => {
      const running = await ensureBrowser();
      return openTab(running, { options, reach, proxyPorts, closed: () => forget(sessionId, opening) });
    })();
    return opening;
  };

  return {
    get: (sessionId) => tabs.get(sessionId)?.tab,
    touch,
    close,
    async ensure(sessionId) {
      if (stopped) throw new Error('The service is stopping.');
      const known = tabs.get(sessionId);
      if (known) return known.opening;
      const opening = open(sessionId);
      const entry: Entry = { opening, tab: undefined, cancelIdle: () => {} };
      tabs.set(sessionId, entry);
      const [oldest] = tabs.keys();
      if (tabs.size > mostTabs && oldest !== undefined) void close(oldest);
      try {
        const tab = await opening;
        entry.tab = tab;
        touch(sessionId);
        return tab;
      } catch (error) {
        forget(sessionId, opening);
        throw error;
      }
    },
    async closeAll() {
      stopped = true;
      await Promise.all([...tabs.keys()].map(close));
      await stopBrowser();
    },
  };
}
