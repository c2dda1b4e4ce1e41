import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';

/** One piece of the work below on an idle core of the machine that the budgets were set on, in milliseconds. */
const idleMs = 5;
/** What a budget may be stretched by at most, however busy or slow the machine is; half as much again is always granted. */
const [slack, mostStretch] = [1.5, 3];

/** How much slower this page runs now than on that machine: the mean of equal pieces of work over what one takes there. */
async function slowness(page: Page): Promise<number> {
  const mean = await page.evaluate(`(async () => {
    let all = 0;
    for (let run = 0; run < 40; run++) {
      const started = performance.now();
      for (let at = 0, sum = 0; at < 8e6; at++) sum += at % 7;
      all += performance.now() - started;
      await new Promise((resolve) => setTimeout(resolve));
    }
    return all / 40;
  })()`);
  return Number(mean) / idleMs;
}

export interface Budget {
  name: string;
  most: number;
  unit: string;
}

/**
 * Measures, and prints the value beside its budget: how fast something is says nothing on a machine on which others work, so
 * nothing fails. With `CONSOLE_BUDGETS=1`, on one that is idle, a budget is kept or the test fails: up to three times it is
 * measured, with the machine's slowness right beside it, which stretches the budget at most threefold.
 */
export async function budgeted(page: Page, budget: Budget, measure: () => Promise<number>): Promise<void> {
  const attempts = process.env.CONSOLE_BUDGETS === undefined ? 1 : 3;
  let told = '';
  for (let attempt = 1; attempt <= attempts; attempt++) {
    const value = await measure();
    const stretch = Math.min(mostStretch, slack * Math.max(1, await slowness(page)));
    const { name, most, unit } = budget;
    const isKept = value <= most * stretch;
    told = `${name}: ${value.toFixed(1)} ${unit} (budget ${most} x ${stretch.toFixed(1)}${isKept ? '' : ', MISSED'})`;
    if (isKept) break;
    if (attempts > 1 && attempt === attempts) assert.unreachable(`over budget: ${told}`);
  }
  console.log(`\nFIGURE ${told}`);
}

/** The value below which 95 of 100 lie. */
export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)] ?? 0;
}
