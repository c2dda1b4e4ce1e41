import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';

const main = resolve('dist/host/main.js');

/** A run of the program that is expected to end by itself. */
function run(args: string[], { env = {}, file }: { env?: Record<string, string>; file?: object } = {}) {
  const cwd = tempDirectory('start-up');
  if (file) writeFileSync(join(cwd, 'service.config.json'), JSON.stringify(file));
  const options = { cwd, env: { PATH: process.env.PATH ?? '', ...env }, encoding: 'utf8', timeout: 20_000 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], options);
  return { status, stdout, stderr };
}

const refusals = suite('A start that cannot work ends with one clear line and a code of its own');

const cases: [name: string, args: string[], options: Parameters<typeof run>[1], status: number, line: RegExp][] = [
  ['an unknown flag', ['--prot', '1'], {}, 64, /--prot.*--help/],
  ['a flag without its value', ['--port'], {}, 64, /--port.*--help/],
  ['an empty value', ['--host', ''], {}, 64, /--host needs a value/],
  ['an unknown command', ['sevre'], {}, 64, /no such command/],
  ['a wrong port', ['--port', 'canary'], {}, 78, /"server\.port" must be a whole number from 0 to 65535/],
  ['a named file that is missing', ['--config', 'none.json'], {}, 78, /none\.json does not exist/],
  ['a wrong value in the file', [], { file: { model: { maxSteps: 0 } } }, 78, /"model\.maxSteps"/],
  ['accounts without a way in', ['--port', '0'], { env: { SERVICE_AUTH_MODE: 'accounts' } }, 78, /bootstrapToken/],
  ['an unknown host', ['--port', '0', '--host', 'no.such.host.invalid'], {}, 1, /Cannot listen/],
];

for (const [name, args, options, status, line] of cases)
  refusals(name, () => {
    const result = run(args, options);
    assert.is(result.status, status, result.stderr);
    const last = result.stderr.trim().split('\n').at(-1) ?? '';
    assert.match(last, line);
    assert.not.match(result.stderr, /\n\s+at |canary/);
    assert.is(result.stdout, '');
  });

refusals.run();

const answers = suite('Questions that need no service');

answers('--help names every flag, and so does -h', () => {
  const { status, stdout } = run(['--help']);
  assert.is(run(['-h']).stdout, stdout);
  assert.is(status, 0);
  for (const flag of ['--host', '--port', '--token', '--workspace', '--config']) assert.match(stdout, flag);
});

answers('--version is the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  assert.is(run(['--version']).stdout, `${version}\n`);
});

answers('config prints what is in effect, without secrets', () => {
  const { status, stdout, stderr } = run(['config', '--token', 'canary-token'], { file: { srever: {}, name: 'Mine' } });
  assert.is(status, 0);
  assert.is(JSON.parse(stdout).name, 'Mine');
  assert.is(JSON.parse(stdout).auth.mode, 'token');
  assert.match(stderr, /did you mean "server"/);
  assert.not.match(stdout + stderr, 'canary');
});

answers.run();

const starts = suite('A start');

starts('flags win over the environment, the environment over the file', async () => {
  const elsewhere = tempDirectory('elsewhere');
  const service = await startService({
    settings: { name: 'From the file', server: { token: 'token-of-the-file' } },
    env: { SERVICE_TOKEN: 'token-of-the-variable', SERVICE_WORKSPACE: '/nowhere' },
    flags: ['--token', 'token-of-the-flag', '--workspace', elsewhere],
  });
  const me = (token: string) => service.fetch('/api/config', { headers: { authorization: `Bearer ${token}` } });
  assert.is((await me('token-of-the-file')).status, 401);
  assert.is((await me('token-of-the-variable')).status, 401);
  const answer = await me('token-of-the-flag');
  assert.is(answer.status, 200);
  const { config } = (await answer.json()) as { config: { name: string; agent: { workspace: string } } };
  assert.equal([config.name, config.agent.workspace], ['From the file', elsewhere]);
  assert.is(await service.stop(), 0);
});

starts('greets with its real address and a command that works', async () => {
  const service = await startService();
  assert.match(service.output(), `is ready: ${service.url}`);
  const [, url = '', body = ''] = /curl -X POST (\S+) .*-d '(.*)'/.exec(service.output()) ?? [];
  const answer = await fetch(url, { method: 'POST', body });
  assert.is(answer.status, 201);
  assert.is(await service.stop(), 0);
});

starts('a generated token is shown once and never logged', async () => {
  const service = await startService({ flags: ['--token', 'auto'] });
  const token = /svc_[\w-]+/.exec(service.output())?.[0] ?? '';
  assert.is(service.output().split(token).length, 2);
  assert.is((await service.fetch(`/api/auth/me?token=${token}`)).status, 200);
  assert.is((await service.fetch('/api/auth/me')).status, 401);
  assert.is(await service.stop(), 0);
  const again = await service.restart();
  assert.not.match(again.output(), 'svc_');
  assert.is((await again.fetch(`/api/auth/me?token=${token}`)).status, 200);
  assert.is(await again.stop(), 0);
});

starts.run();
