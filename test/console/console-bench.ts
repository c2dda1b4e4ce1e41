import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type LaunchOptions,
  type Page,
  type Request,
} from 'playwright-core';
import * as assert from 'uvu/assert';
import { type RunningService, type ServiceOptions, startService } from '../helpers/running-service.ts';
import type { Reply } from '../helpers/scripted-model/script.ts';
import { type RecordedRequest, type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { eventually, within } from '../helpers/within.ts';

const executable = process.env.CHROMIUM ?? '/usr/bin/chromium';

/** False, with a printed line, where there is no browser to test with. */
export function hasBrowser(): boolean {
  if (existsSync(executable)) return true;
  console.log(`SKIPPED the console in a browser: there is no ${executable}`);
  return false;
}

/** How to start it, with more arguments. */
export function browserOptions(args: readonly string[] = []): LaunchOptions {
  return { executablePath: executable, args: [...flags, ...args] };
}

/** A page of the console that remembers what went wrong in it. */
export interface ConsolePage {
  page: Page;
  context: BrowserContext;
  /** Errors of the page, of its console, of its policies, and requests to other hosts. */
  faults: string[];
  /** Requests that are not answered yet. */
  pending: ReadonlySet<string>;
  close(): Promise<void>;
}

/** The built service with a scripted model, and a browser. */
export interface ConsoleBench {
  service: RunningService;
  model: ScriptedModel;
  browser: Browser;
  open(hash?: string, options?: BrowserContextOptions & { at?: string }): Promise<ConsolePage>;
  /** A session without messages. */
  newSession(title?: string): Promise<string>;
  /** Another process on the same data. */
  restart(options?: Omit<ServiceOptions, 'directory'>): Promise<void>;
  close(): Promise<void>;
}

export interface BenchOptions {
  settings?: Record<string, unknown> & { plugins?: { config?: Record<string, unknown>; [name: string]: unknown } };
  env?: Record<string, string>;
  replies?: Reply[];
  answer?: (request: RecordedRequest, number: number) => Reply;
  /** Options of the provider plugin; null: no model at all. */
  provider?: object | null;
  /** More arguments for the browser. */
  browserArgs?: string[];
}

export async function startBench(options: BenchOptions = {}): Promise<ConsoleBench> {
  const { settings = {} } = options;
  const model = await startScriptedModel({
    ...(options.replies ? { replies: options.replies } : {}),
    answer: options.answer ?? (() => [{ text: 'done' }]),
  });
  const provider = {
    baseUrl: model.url,
    apiKey: 'k',
    models: ['scripted'],
    contextWindow: 50_000,
    ...options.provider,
  };
  const providers = options.provider === null ? { 'demo-model': { enabled: false } } : { 'chat-completions': provider };
  const config = { ...providers, ...settings.plugins?.config };
  let service = await startService({
    settings: { checkpoints: { enabled: false }, ...settings, plugins: { ...settings.plugins, config } },
    ...(options.env ? { env: options.env } : {}),
  });
  const browser = await chromium.launch(browserOptions(options.browserArgs));

  return {
    model,
    browser,
    get service() {
      return service;
    },
    async open(hash = '#/', { at = `${service.url}/`, ...contextOptions } = {}) {
      const context = await browser.newContext({ viewport: { width: 1200, height: 800 }, ...contextOptions });
      const page = await context.newPage();
      page.setDefaultTimeout(15_000);
      const faults = watch(page, new URL(at).origin);
      const pending = new Set<string>();
      const nameOf = (request: Request) => `${request.method()} ${request.url()}`;
      page.on('request', (request) => pending.add(nameOf(request)));
      page.on('requestfinished', (request) => pending.delete(nameOf(request)));
      page.on('requestfailed', (request) => pending.delete(nameOf(request)));
      await page.goto(`${at}${hash}`);
      return { page, context, faults, pending, close: () => context.close() };
    },
    async newSession(title) {
      const { session } = await service.client.createSession(title === undefined ? {} : { title });
      return session.id;
    },
    async restart(again = {}) {
      const { port } = new URL(service.url);
      service = await service.restart({ flags: ['--port', port], ...again });
    },
    async close() {
      await within(20_000, browser.close(), 'the end of the browser');
      await service.kill().catch(() => undefined);
      await model.close();
    },
  };
}

/** Runs `use` with a page; afterwards nothing may have gone wrong in it, but what `allowed` names. */
export async function withPage(
  bench: ConsoleBench,
  use: (page: Page, context: BrowserContext) => Promise<void>,
  options: BrowserContextOptions & { at?: string; hash?: string; allowed?: RegExp; ms?: number } = {},
): Promise<void> {
  const { hash, allowed, ms = 60_000, ...contextOptions } = options;
  const opened = await bench.open(hash, contextOptions);
  try {
    await within(ms, use(opened.page, opened.context), 'the test in the page');
    assert.equal(
      opened.faults.filter((fault) => !allowed?.test(fault)),
      [],
    );
  } catch (error) {
    const { SCREENSHOTS } = process.env;
    if (SCREENSHOTS)
      await opened.page.screenshot({ path: join(SCREENSHOTS, `failed-${Date.now()}.png`) }).catch(() => {});
    const waiting = [...opened.pending].join(', ') || 'none';
    if (error instanceof Error)
      error.message += `\nIn the page: ${opened.faults.join('\n') || 'nothing'}\nRequests without an answer: ${waiting}`;
    throw error;
  } finally {
    await opened.close();
  }
}

/** Types into the composer and sends. */
export async function send(page: Page, text: string): Promise<void> {
  await page.locator('.composer textarea').fill(text);
  await page.keyboard.press('Enter');
}

/** Opens a session that is in the list. */
export async function openSession(page: Page, sessionId: string): Promise<void> {
  await page.evaluate(`location.hash = '#/s/${sessionId}'`);
  await page.locator(`.session[data-session="${sessionId}"]`).waitFor();
}

/** Resolves when the approval in view can be decided: not in the first moment, in which a click was meant for something else. */
export async function armed(page: Page): Promise<void> {
  await page.locator('.approval-actions .button.primary:enabled').first().waitFor();
}

/** Resolves when the expression is true in the page. (The page's policies forbid playwright's own way of waiting for that.) */
export function holds(page: Page, expression: string): Promise<void> {
  return eventually(15_000, async () => (await page.evaluate(expression)) === true, expression);
}

function watch(page: Page, origin: string): string[] {
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || /Content Security Policy|Trusted/.test(message.text()))
      faults.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob|about|chrome-error):/.test(url)) faults.push(`request to ${url}`);
  });
  return faults;
}

const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
