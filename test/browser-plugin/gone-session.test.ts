import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ToolContext } from '../../lib/tools/tool.ts';
import type { BrowserOptions } from '../../plugins/browser/options.ts';
import type { Tab } from '../../plugins/browser/tab.ts';
import type { Tabs } from '../../plugins/browser/tabs.ts';
import { createBrowserTools } from '../../plugins/browser/tools.ts';

const test = suite('No page is opened for a session that is gone');

test('browser_open opens none when its run ended while the page before it was being stopped', async () => {
  let stopped = (_: boolean): void => {};
  const hanging = { stopLoading: () => new Promise<boolean>((resolve) => (stopped = resolve)) } as unknown as Tab;
  const opened: string[] = [];
  const tabs: Tabs = {
    get: () => hanging,
    touch() {},
    close: async () => undefined,
    closeAll: async () => undefined,
    async ensure(sessionId) {
      opened.push(sessionId);
      return hanging;
    },
  };
  const open = createBrowserTools(options, tabs).find(({ name }) => name === 'browser_open');
  const run = new AbortController();
  const context = { session: { id: 'ses_1' }, signal: run.signal } as unknown as ToolContext;
  const opening = Promise.resolve(open?.execute({ url: 'http://127.0.0.1/' }, context));
  const failed = opening.then(
    () => 'it was opened',
    (error: unknown) => String(error),
  );
  run.abort(new Error('The run is over.'));
  stopped(false);
  assert.is(await failed, 'Error: The run is over.');
  assert.equal(opened, []);
});

const options: BrowserOptions = {
  args: [],
  headless: true,
  permission: 'auto',
  timeoutMs: 1_000,
  settleMs: 0,
  idleMs: 1_000,
  maxTextChars: 1_000,
  maxElements: 10,
};

test.run();
