import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { configSchema } from '../../lib/config/schema.ts';
import { variables } from '../../lib/config/variables.ts';
import { openEventStream } from '../helpers/event-stream.ts';
import { nginxMissing, startNginx } from '../helpers/nginx.ts';
import { startService } from '../helpers/running-service.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';

const deploy = suite('What OPERATIONS.md and host/deploy say');
const read = (path: string) => readFileSync(path, 'utf8');
const statusOf = (response: Response) => response.arrayBuffer().then(() => response.status);

deploy(
  'the nginx example carries streams as they come, hides the figures, logs no token, shares request ids and passes what the contract allows',
  async () => {
    const missing = nginxMissing();
    if (missing) return console.log(`SKIPPED ${missing}`);
    const service = await startService({ settings: { server: { token: 'canary-operator-4711' } } });
    const log = join(tempDirectory('deploy'), 'access.log');
    const [outside = '', rest = ''] = read('host/deploy/nginx.conf').split('server {\n');
    const locations = rest
      .slice(0, rest.lastIndexOf('}'))
      .replace(/^ *(listen|ssl_|server_name).*\n/gm, '')
      .replace('/var/log/nginx/agents.log', log)
      .replace('http://127.0.0.1:7331', service.url);
    assert.match(outside, 'rate=50r/s');
    // So slow that the burst below is one on any machine.
    const nginx = await startNginx(locations, outside.replace('rate=50r/s', 'rate=1r/s'));
    const headers = { authorization: 'Bearer canary-operator-4711' };
    const at = (path: string) => new URL(path, nginx.url);
    assert.is((await fetch(at('/api/sessions'))).status, 401);
    const created = await fetch(at('/api/sessions'), { method: 'POST', headers });
    assert.is(created.status, 201);
    const { session } = (await created.json()) as { session: { id: string } };
    const stream = await openEventStream(`${nginx.url}/api/sessions/${session.id}/events?token=canary-operator-4711`);
    const send = (content: string) =>
      fetch(at(`/api/sessions/${session.id}/messages`), { method: 'POST', headers, body: JSON.stringify({ content }) });
    assert.is((await send('list files')).status, 202);
    await stream.until('message.delta');
    await stream.until('run.finished', { ms: 15_000 });
    await stream.close();
    assert.is((await send('x'.repeat(300_000))).status, 413);
    // The service takes a path with a slash behind it for the same.
    for (const path of ['/api/metrics', '/api/metrics/', '/api/%6detrics', '/api//metrics', '/api/metrics?x'])
      assert.is((await fetch(at(path), { headers })).status, 403, path);
    const id = created.headers.get('x-request-id') ?? '';
    assert.match(id, /^[0-9a-f]{32}$/);
    const burst = await Promise.all(Array.from({ length: 600 }, () => fetch(at('/api/health')).then(statusOf)));
    assert.equal([...new Set(burst)].sort(), [200, 429]);
    await eventually(5_000, () => read(log).includes('/events'));
    assert.match(read(log), id);
    assert.not.match(read(log), 'canary');
    await nginx.close();
    assert.is(await service.stop(), 0);
    assert.not.match(service.output(), 'canary');
  },
);

deploy('the systemd unit is one that systemd understands', () => {
  const { error, status, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', 'host/deploy/agent-session-service.service'],
    { encoding: 'utf8' },
  );
  if (error) return console.log('SKIPPED systemd-analyze is not installed');
  assert.equal([status, stderr.split('\n').filter((line) => line.includes('agent-session-service.service'))], [0, []]);
});

deploy('the systemd unit gives the service no more than it needs: an exposure of 4 at most', () => {
  const { error, status, stdout } = spawnSync(
    'systemd-analyze',
    ['security', '--offline=true', '--threshold=40', '--no-pager', 'host/deploy/agent-session-service.service'],
    { encoding: 'utf8' },
  );
  if (error || !stdout.includes('Overall exposure')) return console.log('SKIPPED systemd-analyze 250 is not installed');
  assert.is(status, 0, stdout.trimEnd().split('\n').at(-1));
});

deploy(
  'the systemd unit leaves what V8 and the sandbox of the shell tool need: code that is written, namespaces, a whole /proc',
  () => {
    const directives = new Set(
      Array.from(read('host/deploy/agent-session-service.service').matchAll(/^(\w+)=/gm), ([, name]) => name),
    );
    // Each of the last five mounts something over a part of /proc, and then the kernel refuses a sandbox a /proc of its own.
    const breaking = [
      ...['MemoryDenyWriteExecute', 'RestrictNamespaces'],
      ...['ProtectProc', 'ProcSubset', 'ProtectKernelTunables', 'ProtectKernelLogs', 'ProtectHostname'],
    ];
    assert.equal(
      breaking.filter((name) => directives.has(name)),
      [],
    );
  },
);

deploy('nothing but the tarball is sent to whoever builds the image', () => {
  const lines = read('.dockerignore').split('\n');
  assert.equal(
    lines.filter((line) => line !== '' && !line.startsWith('#')),
    ['*', '!agent-session-service-*.tgz'],
  );
});

deploy('container and unit set variables that the service reads', () => {
  const known = new Set<string>([...variables.map(({ name }) => name), 'SERVICE_CONFIG']);
  for (const file of ['Dockerfile', 'host/deploy/agent-session-service.service']) {
    const used = Array.from(read(file).matchAll(/\b(SERVICE_\w+)=/g), ([, name]) => name ?? '');
    assert.ok(used.length >= 3, file);
    assert.equal(
      used.filter((name) => !known.has(name)),
      [],
      file,
    );
  }
});

deploy('the container takes a version of Node that is maintained, and no shell stands between it and a signal', () => {
  const dockerfile = read('Dockerfile');
  assert.match(dockerfile, /^FROM node:(?:22|24)-/m);
  assert.match(dockerfile, /^CMD \["agent-session-service"\]$/m);
  // What commands leave in the background is collected by the first process, which Node would not do.
  assert.match(dockerfile, /^ENTRYPOINT \["tini", "-s", "--"\]$/m);
  assert.match(dockerfile, /install .* tini\b/);
  assert.match(dockerfile, /^USER node$/m);
});

deploy('every figure that OPERATIONS.md names is told', () =>
  withSession({ models: [scriptedModel()] }, async (app, { send, until }) => {
    await send('hello');
    await until('run.finished');
    const told = await (await app.fetch('/api/metrics')).text();
    const withoutLog = /^service_log_/;
    const named = read('OPERATIONS.md').match(/\b(?:service|nodejs|process)_[a-z_]+(?=[\s[{`(])/g) ?? [];
    assert.ok(named.length >= 7);
    assert.equal(
      named.filter((name) => !withoutLog.test(name) && !told.includes(`\n${name}`)),
      [],
    );
  }),
);

deploy('every setting is in OPERATIONS.md, with its default and its variable', () => {
  const rows = Array.from(
    read('OPERATIONS.md').matchAll(/^\| `([\w.]+)` \| (?:`(.*?)`)? ?\| (?:`(SERVICE_\w+)`)? ?\| /gm),
  );
  const told = rows.map(([, key = '', value = '', variable = '']) => ({ key, value, variable }));
  const variableOf = (key: string) => variables.find((each) => each.key === key)?.name ?? '';
  const settings = settingsIn(configSchema, configSchema.create({}));
  assert.ok(settings.length >= 40);
  assert.equal(
    told,
    settings.map(({ key, value }) => ({ key, value, variable: variableOf(key) })),
  );
});

/** The keys below a section, in the order of the schema, with their defaults as JSON; empty where there is none. */
function settingsIn({ schema }: { schema: unknown }, values: object, above = ''): { key: string; value: string }[] {
  return Object.entries(Object(schema) as Record<string, { schema: unknown }>).flatMap(([name, rule]) => {
    const value: unknown = Object(values)[name];
    const key = `${above}${name}`;
    const isSection = rule.schema !== null && Object.keys(Object(rule.schema)).length > 0;
    return isSection ? settingsIn(rule, Object(value), `${key}.`) : [{ key, value: JSON.stringify(value) ?? '' }];
  });
}

deploy('every test that OPERATIONS.md names is there', () => {
  const named = new Set(Array.from(read('OPERATIONS.md').matchAll(/`(test\/[\w/-]+)`/g), ([, path]) => path ?? ''));
  assert.ok(named.size >= 30);
  assert.equal(
    [...named].filter((path) => !existsSync(`${path}.test.ts`)),
    [],
  );
});

deploy.run();
