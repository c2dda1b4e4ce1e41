import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { markerName } from '../../lib/base/process-tree.ts';
import { eventually, within } from '../helpers/within.ts';
import { running, sleep } from './running-processes.ts';
import { createToolBench, type ToolBench } from './tool-bench.ts';

const test = suite('The shell runs a command in the workspace and ends whatever it started');

test('output, exit code and directory', async () => {
  const { call, workspace } = await createToolBench({ 'a.txt': 'x' });
  const fine = await call('shell', { command: 'pwd; ls; echo "to stderr" >&2; echo last' });
  assert.is(fine.content, `${workspace.root}\na.txt\nto stderr\nlast`);
  assert.is(fine.isError, false);
  const { durationMs, ...data } = fine.data as Record<string, unknown>;
  assert.equal(data, { exitCode: 0, signal: null, outputBytes: fine.content.length + 1, sandboxed: false });
  assert.type(durationMs, 'number');
  const failed = await call('shell', { command: 'echo oops; exit 3' });
  assert.is(failed.content, 'oops\n[Exit code 3.]');
  assert.is(failed.isError, true);
  assert.is((await call('shell', { command: 'kill -9 $$' })).content, '[The command was ended by SIGKILL.]');
  assert.is((await call('shell', { command: 'true' })).content, '(no output)');
  assert.is((await call('shell', { command: 'no-such-program-here' })).isError, true);
});

test('it asks by default, and shows exactly what will run', async () => {
  const { tools } = await createToolBench();
  assert.is(tools.get('shell')?.permission, 'ask');
  assert.is(
    tools.get('shell')?.describe?.({ command: 'ls\n\u202e\u0007rm\u00ad \u{e0041}' }),
    'Run: ls\n\\u{202e}\\u{7}rm\\u{ad} \\u{e0041}',
  );
  const auto = await createToolBench({}, { shellPermission: 'auto' });
  assert.is(auto.tools.get('shell')?.permission, 'auto');
});

test('the environment carries no secret and no setting of the service', async () => {
  process.env.OPENAI_API_KEY = 'sk-secret';
  process.env.SERVICE_TOKEN = 'secret-token';
  process.env.NODE_OPTIONS ??= '';
  const { call } = await createToolBench();
  const { content } = await call('shell', { command: 'env' });
  const names = content.split('\n').map((line) => line.split('=')[0] ?? '');
  const allowed = ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'USER', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', markerName];
  assert.equal(
    names.filter((name) => !allowed.includes(name) && !/^(LC_|PWD$|SHLVL$|_$|OLDPWD$)/.test(name)),
    [],
  );
  assert.not.match(content, /secret/);
});

test('bytes that are no text do no harm', async () => {
  const { call } = await createToolBench();
  const { content } = await call('shell', {
    command: "printf 'a\\000b\\377c\\033[31mred\\033[0m \\360\\237\\231\\202'",
  });
  assert.is(content, 'a\u2400b\ufffdcred 🙂');
  assert.is((await call('shell', { command: 'echo a\0b' })).isError, true);
});

test('long output keeps its beginning and its end', async () => {
  const { call } = await createToolBench({}, { maxOutputChars: 4_000 });
  const { content } = await call('shell', { command: 'seq 1 100000' });
  assert.ok(content.length <= 4_000, `${content.length}`);
  assert.match(content, /^1\n2\n3\n/);
  assert.match(content, /\n\[\.\.\. \d+ of 588895 characters left out \.\.\.\]\n/);
  assert.match(content, /\n99999\n100000$/);
});

test('output of exactly the cap is whole, one character more is cut to the cap', async () => {
  const { call } = await createToolBench({}, { maxOutputChars: 2_000 });
  const print = (count: number, ending = '') => call('shell', { command: `printf 'x%.0s' $(seq ${count})${ending}` });
  assert.is((await print(2_000)).content, 'x'.repeat(2_000));
  const cut = (await print(2_001)).content;
  assert.ok(cut.length <= 2_000 && cut.length > 1_950, `${cut.length}`);
  assert.match(cut, /^x+\n\[\.\.\. \d+ of 2001 characters left out \.\.\.\]\nx+$/);
  const failed = (await print(2_000, '; exit 3')).content;
  assert.ok(failed.length <= 2_000 && failed.length > 1_950, `${failed.length}`);
  assert.match(failed, /^x+\n\[\.\.\. \d+ of 2000 .*\]\nx+\n\[Exit code 3\.\]$/);
});

test('a cap of a few characters is kept', async () => {
  for (const maxOutputChars of [1, 30, 100]) {
    const { call } = await createToolBench({ 'a.txt': 'line of text\n'.repeat(100) }, { maxOutputChars });
    for (const [tool, args] of [
      ['shell', { command: 'seq 1 1000' }],
      ['read_file', { path: 'a.txt' }],
      ['search_files', { pattern: 'text' }],
      ['find_files', { pattern: '*.txt' }],
    ] as const) {
      const { content } = await call(tool, args);
      assert.ok(content !== '' && content.length <= maxOutputChars, `${tool} ${maxOutputChars}: ${content.length}`);
    }
  }
});

test('a gigabyte of output costs no memory: the producer is stopped at 50 MB', async () => {
  const { call } = await createToolBench();
  for (const command of ['head -c 1000000000 /dev/zero', 'yes | head -c 1000000000', 'yes long line >&2']) {
    const before = process.memoryUsage().rss;
    const result = await within(20_000, call('shell', { command }));
    assert.match(result.content, /more than 50 MB/);
    assert.is(result.isError, true);
    assert.ok(result.content.length <= 100_000);
    const grown = (process.memoryUsage().rss - before) / 1024 ** 2;
    assert.ok(grown < 150, `${command}: ${Math.round(grown)} MB`);
  }
});

test('it returns when the command ends, though something in the background holds the output', async () => {
  const { call, close } = await createToolBench();
  const result = await within(5_000, call('shell', { command: `${sleep(300)} & echo started` }));
  assert.is(result.content, 'started');
  await within(5_000, close());
});

test('a timeout ends the whole tree and says so', async () => {
  const { call } = await createToolBench();
  const result = await within(
    8_000,
    call('shell', { command: `echo before; ${sleep(301)} & ${sleep(301)}`, timeout_ms: 300 }),
  );
  assert.match(result.content, /^before\n\[The command was stopped after 300 ms/);
  assert.is(running(sleep(301)), 0);
});

test('the timeout of the options can not be exceeded', async () => {
  const { call } = await createToolBench({}, { shellTimeoutMs: 300 });
  assert.match(
    (await within(8_000, call('shell', { command: `${sleep(302)}`, timeout_ms: 99_999 }))).content,
    /after 300 ms/,
  );
});

const trees: Record<string, string> = {
  'a plain child': `${sleep(310)}`,
  'a pipeline of subshells': `(${sleep(310)} | cat) & (${sleep(310)}; echo) & wait`,
  'one that ignores TERM': `trap '' TERM; while :; do ${sleep(310)}; done`,
  'a child of its own that ignores TERM': `bash -c "trap '' TERM HUP INT; while :; do ${sleep(310)}; done" & wait`,
  'a double fork': `( (${sleep(310)} &) & ) ; ${sleep(310)}`,
  'one that left the session': `setsid ${sleep(310)} & setsid bash -c "${sleep(310)} & wait" & ${sleep(310)}`,
  'one that left the session and ignores TERM': `setsid bash -c "trap '' TERM; while :; do ${sleep(310)}; done" & ${sleep(310)}`,
  'a daemon': `(setsid nohup ${sleep(310)} >/dev/null 2>&1 &) ; ${sleep(310)}`,
  'one that cleared its environment': `env -i ${sleep(310)} & wait`,
};

for (const [name, command] of Object.entries(trees))
  test(`cancel ends ${name}`, async () => {
    const { call } = await createToolBench();
    const abort = new AbortController();
    const result = call('shell', { command }, { signal: abort.signal });
    await eventually(3_000, () => running(sleep(310)) > 0);
    abort.abort(new Error('cancelled'));
    const { content, isError } = await within(6_000, result);
    assert.match(content, /cancelled/);
    assert.is(isError, true);
    assert.is(running(sleep(310)), 0);
  });

test('what was left in the background ends when the run is cancelled later', async () => {
  const { call } = await createToolBench();
  const abort = new AbortController();
  await call('shell', { command: `${sleep(320)} & setsid ${sleep(320)} & echo` }, { signal: abort.signal });
  assert.is(running(sleep(320)), 2);
  abort.abort();
  await eventually(4_000, () => running(sleep(320)) === 0);
});

test('what was left in the background ends with the plugin', async () => {
  const { call, close } = await createToolBench();
  await call('shell', { command: `setsid ${sleep(330)} & (${sleep(330)} &) ; echo` });
  assert.is(running(sleep(330)), 2);
  await within(5_000, close());
  assert.is(running(sleep(330)), 0);
});

/** A process of an earlier service on the data directory of `bench`, and one of a service elsewhere. */
async function strays(bench: ToolBench) {
  const [owner] = (await bench.call('shell', { command: `echo "$${markerName}"` })).content.split('.');
  await bench.close();
  const stray = (value: string) =>
    spawn('sleep', ['340'], { env: { PATH: process.env.PATH, [markerName]: value }, detached: true, stdio: 'ignore' });
  return { old: stray(`${owner}.earlier.call`), other: stray('0000000000000000.earlier.call') };
}

test('what a killed service left behind ends when the next one starts on its data directory, and nothing else', async () => {
  const first = await createToolBench();
  const { old, other } = await strays(first);
  const next = await createToolBench({}, {}, first.info);
  await eventually(4_000, () => old.exitCode !== null || old.signalCode !== null);
  assert.is(old.signalCode, 'SIGTERM');
  assert.is(other.signalCode, null);
  other.kill('SIGKILL');
  await next.close();
});

test('no command runs beside what a killed service left behind: the first one waits for its end', async () => {
  const first = await createToolBench();
  const { old, other } = await strays(first);
  const next = await createToolBench({}, {}, first.info);
  const look = (pid = 0) => `grep -q sleep /proc/${pid}/cmdline 2> /dev/null && echo running || echo ended`;
  const { content } = await next.call('shell', { command: `${look(old.pid)}; ${look(other.pid)}` });
  assert.is(content, 'ended\nrunning');
  other.kill('SIGKILL');
  await next.close();
});

test('a call that was cancelled before it began starts nothing', async () => {
  const { call, workspace } = await createToolBench();
  await call('shell', { command: 'touch started' }, { signal: AbortSignal.abort(new Error('cancelled')) });
  assert.equal(readdirSync(workspace.root), []);
});

test('the limit of one call is not a limit of many: twenty at once', async () => {
  const { call } = await createToolBench();
  const results = await Promise.all(Array.from({ length: 20 }, (_, at) => call('shell', { command: `echo ${at}` })));
  assert.equal(
    results.map((result) => result.content),
    results.map((_, at) => `${at}`),
  );
});

test.run();
