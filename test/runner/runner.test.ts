import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

const test = suite('the test runner fails on what would pass unseen');

/** Runs the runner on one folder of fixtures, with short patience. */
async function run(fixture: string, env: Record<string, string | undefined> = {}) {
  const child = spawn(process.execPath, ['test/run.mjs', `--folder=test/runner/fixtures/${fixture}`], {
    env: { ...process.env, CI: undefined, TEST_FILE_TIMEOUT_MS: '2500', TEST_ENDS_WITHIN_MS: '300', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    output += text;
  });
  const code = await within(30_000, new Promise<number | null>((resolve) => child.once('close', resolve)), fixture);
  return { code, output, last: output.trimEnd().split('\n').at(-1) };
}

test('passing files pass, and what was skipped is told', async () => {
  const { code, output, last } = await run('passing');
  assert.is(code, 0, output);
  assert.match(last ?? '', /^1 passed, 0 failed/);
  assert.match(output, /SKIPPED two: it needs something/);
});

test('in CI a file that fails beside others is run again alone, and named', async () => {
  const mark = () => join(tempDirectory('unstable'), 'mark');
  const twice = await run('unstable', { CI: '1', UNSTABLE_MARK: mark() });
  assert.is(twice.code, 0, twice.output);
  assert.match(twice.output, /FAIL .*unstable[\s\S]*UNSTABLE .*unstable.*sample\.test\.ts/);
  assert.match(twice.last ?? '', /^1 passed, 0 failed$/);
  const once = await run('unstable', { UNSTABLE_MARK: mark() });
  assert.is(once.code, 1, once.output);
  const never = await run('failing-test', { CI: '1' });
  assert.match(never.last ?? '', /^1 passed, 1 failed$/);
});

const bad: [string, RegExp][] = [
  ['failing-test', /1 passed, 1 failed$/],
  ['missing-run', /is `test.run\(\)` missing/],
  ['failing-before', /FAIL .* 0\/1/],
  ['failing-after', /could not clean up/],
  ['thrown-string', /FAIL/],
  ['leftover-only', /leftover \.only in .*sample\.test\.ts/],
  ['hang', /did not finish within 2500 ms/],
  ['lingering', /did not end within 300 ms of its last test/],
  ['lingering-child', /did not end within 300 ms of its last test/],
  ['early-exit', /printed no summary/],
  ['broken-import', /this file cannot be loaded/],
  ['no-such-folder', /no test file matches/],
];

for (const [fixture, why] of bad)
  test(`${fixture} fails`, async () => {
    const { code, output, last } = await run(fixture);
    assert.is(code, 1, output);
    assert.match(output.trimEnd(), why);
    assert.match(last ?? '', /^\d+ passed, [1-9]\d* failed/);
  });

test.run();
