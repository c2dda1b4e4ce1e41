import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, BrowserContext, Dialog, ElementHandle, Page, Response } from 'playwright-core';
import { messageOf, visible } from '../../lib/plugin-api/index.ts';
import { type EgressProxy, refusedHeader, startEgressProxy } from './egress-proxy.ts';
import type { BrowserOptions } from './options.ts';
import type { WebReach } from './reach.ts';
import { type PageView, viewPage } from './view-page.ts';

/** The page of one session, in a context of its own: nothing is shared with other sessions. */
export interface Tab {
  /** True once it can't be used any more. */
  readonly closed: boolean;
  /** Navigates. `approved` when a person has agreed to this very address. Rejects with the reason why it was refused or failed. */
  open(url: string, approved: boolean): Promise<void>;
  /** Text and elements; references of earlier views stop being valid. */
  view(from: number): Promise<PageView>;
  /** The element behind a reference of the last view; throws when there is none. */
  element(reference: string): ElementHandle;
  /** Gives up whatever is still loading. False when the page does not answer even so: a script that never ends holds it. */
  stopLoading(): Promise<boolean>;
  /** Lets the page react to what was done. */
  settle(): Promise<void>;
  readonly page: Page;
  /** What happened that the page itself does not show: dialogs, new windows, downloads, refusals. Emptied by reading. */
  takeNotes(): string[];
  close(): Promise<void>;
}

export interface TabOptions {
  options: BrowserOptions;
  reach: WebReach;
  /** The ports of all tabs' proxies: no page may talk to them. */
  proxyPorts: Set<number>;
  /** Called once, whatever the reason. */
  closed(): void;
}

const mostNotes = 10;
/** After the document is there: images, scripts and frames that may come or not. */
const loadMs = 5_000;
const answerMs = 2_000;
const viewport = { width: 1280, height: 800 };

/** Opens an empty page behind a proxy of its own. Rejects when the browser refuses; then nothing is left of it. */
export async function openTab(browser: Browser, { options, reach, proxyPorts, closed }: TabOptions): Promise<Tab> {
  const notes: string[] = [];
  let refusal: string | undefined;
  let approvedUrl: string | undefined;
  let handles = new Map<string, ElementHandle>();
  let nextReference = 1;
  let isClosed = false;

  const note = (text: string): void => {
    if (notes.length < mostNotes && !notes.includes(text)) notes.push(text);
  };
  const proxy: EgressProxy = await startEgressProxy({
    check: async (url) => (await reach.check(url, { approvedUrl, ownPorts: [...proxyPorts] })).addresses,
    refused(_url, reason) {
      refusal = reason;
      note(`Refused: ${reason}`);
    },
  });
  proxyPorts.add(proxy.port);
  let context: BrowserContext | undefined;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    proxyPorts.delete(proxy.port);
    closed();
    // A page that hangs is not asked; the context takes it along.
    await context?.close().catch(() => undefined);
    proxy.close();
  };
  try {
    context = await browser.newContext({
      proxy: { server: `http://127.0.0.1:${proxy.port}` },
      acceptDownloads: false,
      serviceWorkers: 'block',
      viewport,
    });
    context.setDefaultTimeout(options.timeoutMs);
    const page = await context.newPage();
    const control = await context.newCDPSession(page);
    context.on('page', (popup) => void refusePopup(popup, note));
    page.on('dialog', (dialog) => void answerDialog(dialog, note));
    page.on('download', (download) => {
      note(`A download was refused: ${visible(download.suggestedFilename()).slice(0, 100)}`);
      download.cancel().catch(() => undefined);
    });
    page.on('crash', () => void close());
    page.on('close', () => void close());
    return {
      page,
      get closed() {
        return isClosed;
      },
      async open(url, approved) {
        // Asked before the browser is: the reason then comes without detours.
        await reach.check(url, { approvedUrl: approved ? url : undefined, ownPorts: [...proxyPorts] });
        approvedUrl = approved ? url : undefined;
        refusal = undefined;
        notes.length = 0;
        handles = new Map();
        const response = await navigate(page, url, { timeoutMs: options.timeoutMs, note }).catch((error: unknown) => {
          throw new Error(refusal ?? describeFailure(error, notes));
        });
        if (response?.headers()[refusedHeader] !== undefined)
          throw new Error(refusal ?? 'The page could not be reached.');
        if (response && response.status() >= 400) note(`The server answered with status ${response.status()}.`);
      },
      async stopLoading() {
        // While a navigation is under way the library answers nothing.
        const stopped = control.send('Page.stopLoading').then(() => page.evaluate('1'));
        const answer = stopped.then(
          () => true,
          // It answered that it can't: for instance because it is just navigating.
          () => !isClosed,
        );
        return Promise.race([answer, sleep(answerMs, false)]);
      },
      async settle() {
        await sleep(options.settleMs);
        await page.waitForLoadState('domcontentloaded', { timeout: options.timeoutMs }).catch(() => undefined);
      },
      async view(from) {
        const { maxTextChars, maxElements } = options;
        const seen = await viewPage(page, { from, maxTextChars, maxElements, firstReference: nextReference });
        for (const handle of handles.values()) handle.dispose().catch(() => undefined);
        handles = seen.handles;
        nextReference += seen.handles.size;
        return seen;
      },
      element(reference) {
        const handle = handles.get(reference.replace(/^\[|\]$/g, ''));
        if (handle) return handle;
        throw new Error(
          `There is no element ${visible(reference).slice(0, 40)} in the last view of the page. browser_read shows the current ones.`,
        );
      },
      takeNotes: () => notes.splice(0),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits for the document, and a little for the rest. A page that never ends is shown as far as it came. */
async function navigate(
  page: Page,
  url: string,
  { timeoutMs, note }: { timeoutMs: number; note: (text: string) => void },
): Promise<Response | null> {
  const end = performance.now() + timeoutMs;
  const left = (most: number): number => Math.max(1, Math.min(most, end - performance.now()));
  const response = await page.goto(url, { waitUntil: 'commit', timeout: timeoutMs });
  try {
    await page.waitForLoadState('domcontentloaded', { timeout: left(timeoutMs) });
    await page.waitForLoadState('load', { timeout: left(loadMs) });
  } catch {
    note('The page was still loading when it was looked at.');
  }
  return response;
}

/** New windows are closed: a session has one page. Where it would have led is told. */
async function refusePopup(popup: Page, note: (text: string) => void): Promise<void> {
  await popup
    .waitForURL((url) => url.href !== 'about:blank', { timeout: 1_000, waitUntil: 'commit' })
    .catch(() => undefined);
  const url = popup.url();
  if (/^https?:/.test(url)) note(`The page opened another window, which was closed: ${visible(url).slice(0, 300)}`);
  await popup.close().catch(() => undefined);
}

/** Nobody is there to answer: messages are acknowledged, leaving is allowed, everything else is declined. */
async function answerDialog(dialog: Dialog, note: (text: string) => void): Promise<void> {
  const type = dialog.type();
  const isAccepted = type === 'alert' || type === 'beforeunload';
  if (type !== 'beforeunload')
    note(
      `The page showed a dialog (${type}, ${isAccepted ? 'acknowledged' : 'declined'}): ${visible(dialog.message()).slice(0, 300)}`,
    );
  await (isAccepted ? dialog.accept() : dialog.dismiss()).catch(() => undefined);
}

function describeFailure(error: unknown, notes: readonly string[]): string {
  const text = messageOf(error);
  if (/Download is starting/.test(text)) return notes.at(-1) ?? 'This is a download, and downloads are refused.';
  const code = /net::(ERR_[A-Z_]+)/.exec(text)?.[1];
  if (code === 'ERR_TUNNEL_CONNECTION_FAILED' || code === 'ERR_PROXY_CONNECTION_FAILED')
    return 'The host could not be reached.';
  if (code) return `The page could not be loaded (${code}).`;
  if (/Timeout/.test(text)) return 'The page did not answer in time.';
  return `The page could not be loaded: ${(text.split('\n')[0] ?? '').replace(/^page\.goto: /, '').slice(0, 300)}`;
}
