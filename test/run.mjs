// Runs every test file in a process of its own and adds the counts up. It fails on what uvu alone lets pass: a file
// without `.run()`, a failing `before`, a thrown string, a leftover `.only`, a hang, a process that does not end.
// usage: node test/run.mjs [--folder=test] [part of a path ...]
// In CI a file that fails is run once more, alone, after all others: a slow machine is told apart from a wrong program.
// The first failure is printed all the same, and the file is named at the end.
// Files below a `fixtures` folder are data for other tests and run only when the folder is named.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { bundle } from './bundle.mjs';
import { globSync } from './glob.mjs';

const wanted = process.argv.slice(2).filter((word) => !word.startsWith('--'));
const fileTimeoutMs = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 240_000);
const endsWithinMs = Number(process.env.TEST_ENDS_WITHIN_MS ?? 10_000);
/** More than so many are no matter of a slow machine. */
const mostUnstable = 5;
const folder = process.argv.find((word) => word.startsWith('--folder='))?.slice('--folder='.length) ?? 'test';

const files = globSync(folder, /\.test\.ts$/)
  .filter((file) => !file.slice(folder.length).includes('/fixtures/'))
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)));
const leftovers = files.filter((file) => /^\s*\w+\.only\(/m.test(readFileSync(file, 'utf8')));
if (files.length === 0) fail('no test file matches');
if (leftovers.length > 0) fail(`leftover .only in ${leftovers.join(', ')}`);

const outdir = `.test-build/${process.pid}`;
await bundle(files, outdir);

const totals = { passed: 0, failed: 0, skipped: 0 };
const unstable = [];
// One more than there are cores: browsers and databases make a test wait as much as work.
// From both ends in turn: files of one folder often need the same, several browsers for one, and the longest come last by name.
const queue = files.map((_, at) => files.at(at % 2 === 0 ? -1 - at / 2 : (at - 1) / 2));
await Promise.all(Array.from({ length: Math.max(2, availableParallelism() + 1) }, work));
for (const file of unstable) report(file, await runFile(file), { again: true });
for (const file of unstable) console.log(`UNSTABLE ${file}: it failed beside other files and was run again alone`);
console.log(`\n${files.length} files`);
console.log(`${totals.passed} passed, ${totals.failed} failed${totals.skipped ? `, ${totals.skipped} skipped` : ''}`);
process.exitCode = totals.failed === 0 ? 0 : 1;

async function work() {
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) report(file, await runFile(file));
}

function report(file, { output, problem, seconds }, { again = false } = {}) {
  const count = (word) => Number(new RegExp(`^\\s*${word}:\\s+(\\d+)`, 'm').exec(output)?.[1] ?? Number.NaN);
  const [total, passed, skipped] = [count('Total'), count('Passed'), count('Skipped')];
  const failed = problem !== undefined || Number.isNaN(total) ? Math.max(1, total - passed || 0) : total - passed;
  const later = failed > 0 && !again && process.env.CI !== undefined && unstable.length < mostUnstable;
  if (later) unstable.push(file);
  else {
    totals.passed += passed || 0;
    totals.failed += failed;
    totals.skipped += skipped || 0;
  }
  const notes = output.match(/^(?:SKIPPED|FIGURE) .*$/gm) ?? [];
  console.log(`${failed ? 'FAIL' : ' ok '} ${file}  ${passed || 0}/${total || 0}  ${seconds} s`);
  for (const note of notes) console.log(`     ${note}`);
  const unprinted = failed && problem === undefined && !/^\s+FAIL /m.test(output);
  const why =
    problem ?? (unprinted ? 'a test threw what uvu cannot print, for example an error with `details`' : 'tests failed');
  if (failed) console.log(`${output}\n     ${why}\n`);
}

function runFile(file) {
  const started = performance.now();
  return new Promise((resolve) => {
    const child = spawn(
      process.execPath,
      ['--enable-source-maps', '--expose-gc', `${outdir}/${file.replace(/\.ts$/, '.js')}`],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
        env: { ...process.env, NODE_ENV: 'test' },
      },
    );
    let output = '';
    let problem;
    let lingering;
    const kill = (why) => {
      problem ??= why;
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        child.kill('SIGKILL');
      }
    };
    const hanging = setTimeout(() => kill(`did not finish within ${fileTimeoutMs} ms`), fileTimeoutMs);
    const read = (chunk) => {
      output += chunk;
      if (!lingering && /^\s*Skipped:\s+\d+/m.test(output))
        lingering = setTimeout(() => kill(`did not end within ${endsWithinMs} ms of its last test`), endsWithinMs);
    };
    child.stdout.setEncoding('utf8').on('data', read);
    child.stderr.setEncoding('utf8').on('data', read);
    child.on('close', (code, signal) => {
      clearTimeout(hanging);
      clearTimeout(lingering);
      if (!/^\s*Total:/m.test(output)) problem ??= 'printed no summary: is `test.run()` missing?';
      if (code !== 0) problem ??= `ended with ${signal ?? `exit code ${code}`}`;
      resolve({ output, problem, seconds: ((performance.now() - started) / 1000).toFixed(1) });
    });
  });
}

function fail(why) {
  console.error(why);
  console.log('0 passed, 1 failed');
  process.exit(1);
}
