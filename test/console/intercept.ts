import type { Page, Route } from 'playwright-core';
import { eventually } from '../helpers/within.ts';

/**
 * As `page.route` on a page that is open, and in force when it resolves. The browser confirms a first route before the page has
 * got its new way to the network; on a busy machine what the page asks for next goes past the route, and past its log.
 */
export async function intercept(
  page: Page,
  url: string,
  handler: (route: Route) => unknown,
  options: { times?: number } = {},
): Promise<void> {
  await page.route(url, handler, options);
  await page.route('**/api/health?intercepted', (route) => route.fulfill({ status: 204 }));
  const asked = `fetch('api/health?intercepted').then(({ status }) => status)`;
  await eventually(15_000, async () => (await page.evaluate(asked)) === 204, 'the route');
}
