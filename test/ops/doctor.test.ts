import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkNode } from '../../host/doctor/node.ts';
import { checkPrograms } from '../../host/doctor/programs.ts';
import { startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { within } from '../helpers/within.ts';

const doctor = suite('agent-session-service doctor');

interface Findings {
  code: number;
  /** `level subject text`, one a line. */
  lines: string[];
  of(subject: string): string;
}

async function examine(
  settings: object,
  {
    flags = [],
    env = {},
    cwd = tempDirectory('doctor'),
  }: { flags?: string[]; env?: Record<string, string>; cwd?: string } = {},
): Promise<Findings> {
  writeFileSync(join(cwd, 'service.config.json'), JSON.stringify(settings));
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, [resolve('dist/host/main.js'), 'doctor', ...flags], {
    cwd,
    env: { PATH, ...env },
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await within(20_000, once(child, 'close'));
  const lines = output
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' '));
  return {
    code: Number(code),
    lines,
    of: (subject) => lines.filter((line) => line.split(' ')[1] === subject).join('\n'),
  };
}

doctor('says what is there, one line a check, creates nothing, and exits 0 when the service can work', async () => {
  const cwd = tempDirectory('doctor');
  const { code, lines, of } = await examine({}, { cwd });
  assert.is(code, 0);
  for (const line of lines)
    assert.match(line, /^(?:ok|warn) (?:Node|Config|Data|Lock|Disk|Files|git|Chromium|Sandbox|Models) \S.*\.$/);
  assert.match(of('Data'), /^ok Data .* will be created/);
  assert.match(of('Models'), /demo model/);
  assert.equal(readdirSync(cwd), ['service.config.json']);
});

doctor('names a wrong setting and exits 1, and still looks at the rest', async () => {
  const { code, of } = await examine({ server: { port: 'many' } });
  assert.is(code, 1);
  assert.match(of('Config'), /^fail Config .*server\.port/);
  assert.match(of('Node'), process.version);
});

doctor('names the process that uses the data directory, and disturbs it not', async () => {
  const service = await startService();
  const { code, of } = await examine({ storage: { directory: join(service.directory, 'data') } });
  assert.is(code, 0);
  assert.match(of('Lock'), `process ${service.pid} on `);
  assert.is((await service.fetch('/api/health')).status, 200);
  assert.is(await service.stop(), 0);
});

doctor('a data directory that can not be written to, or has no space, is a failure', async () => {
  const file = join(tempDirectory('doctor'), 'file');
  writeFileSync(file, '');
  const blocked = await examine({ storage: { directory: join(file, 'data') } });
  assert.is(blocked.code, 1);
  assert.match(blocked.of('Data'), /^fail .* can't be written to/);
  const kernel = await examine({ storage: { directory: '/proc/service/data' } });
  if (existsSync('/proc/self')) assert.match(kernel.of('Data'), /^fail .*(takes no directories|can't be written to)/);
  const full = await examine({ storage: { minFreeBytes: 2 ** 53 - 1 } });
  assert.is(full.code, 1);
  assert.match(full.of('Disk'), /^fail Disk Only \d+ MB are free/);
});

doctor('a data directory that everybody can read is a warning', async () => {
  const cwd = tempDirectory('doctor');
  mkdirSync(join(cwd, 'data'));
  chmodSync(join(cwd, 'data'), 0o755);
  const { code, of } = await examine({ storage: { directory: 'data' } }, { cwd });
  assert.is(code, 0);
  assert.match(of('Access'), /^warn .* chmod 700/);
});

doctor('asks providers with --online only, and never tells a key', async () => {
  const asked: (string | undefined)[] = [];
  const provider = createServer((request, response) => {
    asked.push(request.headers.authorization);
    response.statusCode = request.url?.startsWith('/good') ? 200 : 401;
    response.end(
      JSON.stringify({ data: [{ id: 'one' }, { id: 'two' }], error: { message: 'bad key sk-canary-4711' } }),
    );
  }).listen(0, '127.0.0.1');
  await once(provider, 'listening');
  const address = provider.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const settings = (path: string) => ({
    plugins: {
      config: { 'chat-completions': { baseUrl: `http://127.0.0.1:${port}/${path}`, apiKey: 'sk-canary-4711' } },
    },
  });
  const offline = await examine(settings('good'));
  assert.match(offline.of('Models'), /^ok .* not asked/);
  assert.equal(asked, []);
  const online = await examine(settings('good'), { flags: ['--online'] });
  assert.is(online.code, 0);
  assert.match(online.of('Models'), /lists 2 models/);
  assert.equal(asked, ['Bearer sk-canary-4711']);
  const refused = await examine(settings('bad'), { flags: ['--online'] });
  assert.is(refused.code, 1);
  assert.match(refused.of('Models'), /^fail Models .*401/);
  for (const { lines } of [offline, online, refused]) assert.not.match(lines.join('\n'), 'canary');
  provider.closeAllConnections();
  await new Promise((done) => provider.close(done));
});

doctor('looks at what plugins.allow lets in, and at nothing else', async () => {
  const env = { OPENAI_API_KEY: 'sk-4711', ANTHROPIC_API_KEY: 'sk-4712' };
  const some = await examine({ plugins: { allow: ['messages-api', 'browser'] } }, { env });
  assert.match(some.of('Models'), /^ok Models anthropic at [^\n]*$/);
  assert.ok(some.of('Chromium') !== '' && some.of('Sandbox') === '');
  const none = await examine({ plugins: { allow: ['core-tools'] } }, { env });
  assert.match(none.of('Models'), /^warn Models plugins.allow leaves out the providers of the package/);
  assert.ok(none.of('Chromium') === '' && none.of('Sandbox') !== '');
});

doctor('knows which lines of Node are maintained', () => {
  const level = (version: string, date: string) => checkNode(version, Date.parse(date)).level;
  assert.is(level('v20.17.0', '2026-01-01'), 'fail');
  assert.is(level('v18.20.0', '2026-01-01'), 'fail');
  assert.is(level('v20.18.0', '2026-04-30'), 'ok');
  assert.is(level('v20.20.2', '2026-05-01'), 'warn');
  assert.is(level('v22.1.0', '2026-05-01'), 'ok');
  assert.is(level('v23.1.0', '2026-05-01'), 'warn');
  assert.is(level('v24.0.0', '2026-05-01'), 'ok');
});

doctor('a missing sandbox is a failure only where the shell would refuse', async () => {
  const check = async (mode: 'none' | 'accounts', shellSandbox?: string) => {
    const auth = { mode, bootstrapToken: '', bootstrapName: 'admin', workspaces: {} };
    const config: Record<string, Record<string, unknown>> = shellSandbox === undefined
      ? {}
      : { 'core-tools': { shellSandbox } };
    const plugins = { directories: [], config, hotReload: false, hotReloadIntervalMs: 250 };
    const checks = await checkPrograms({ auth, plugins }, tempDirectory('no-programs'));
    return checks.map(({ level }) => level).join(' ');
  };
  assert.is(await check('none'), 'warn warn warn');
  assert.is(await check('accounts'), 'warn warn fail');
  assert.is(await check('accounts', 'off'), 'warn warn warn');
  assert.is(await check('none', 'required'), 'warn warn fail');
});

doctor.run();
