import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventStream } from '../helpers/event-stream.ts';
import { nginxMissing, startNginx } from '../helpers/nginx.ts';
import { startService } from '../helpers/running-service.ts';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { eventually } from '../helpers/within.ts';

const proxy = suite('The proxy that SECURITY.md shows');

/** The snippet without TLS, for this service and with its log in `log`. */
function snippet(serviceUrl: string, log: string): { outside: string; server: string } {
  const [, text = ''] = /```nginx\n([\s\S]*?)```/.exec(readFileSync('SECURITY.md', 'utf8')) ?? [];
  const [outside = '', rest = ''] = text.split('server {');
  const server = rest
    .slice(0, rest.lastIndexOf('}'))
    .replace(/^ *(listen|ssl_|server_name).*\n/gm, '')
    .replace('/var/log/nginx/agents.log', log)
    .replace('http://127.0.0.1:7331', serviceUrl);
  return { outside, server };
}

proxy('carries streams as they come, logs no token, and passes what the contract allows', async () => {
  const missing = nginxMissing();
  if (missing) return console.log(`SKIPPED ${missing}`);
  const token = 'canary-operator-4711';
  const service = await startService({ settings: { server: { token } } });
  const log = join(tempDirectory('proxy'), 'access.log');
  const { outside, server } = snippet(service.url, log);
  const nginx = await startNginx(server, outside);
  const call = (method: string, path: string, body?: string) =>
    fetch(new URL(path, nginx.url), {
      method,
      headers: { authorization: `Bearer ${token}` },
      ...(body ? { body } : {}),
    });

  assert.is((await fetch(new URL('/api/sessions', nginx.url))).status, 401);
  const { session } = (await (await call('POST', '/api/sessions')).json()) as { session: { id: string } };
  const stream = await openEventStream(`${nginx.url}/api/sessions/${session.id}/events?token=${token}`);
  const sent = await call('POST', `/api/sessions/${session.id}/messages`, '{"content":"list files"}');
  assert.is(sent.status, 202);
  await stream.until('message.delta');
  await stream.until('run.finished', { ms: 15_000 });
  await stream.close();
  const tooLarge = await call(
    'POST',
    `/api/sessions/${session.id}/messages`,
    JSON.stringify({ content: 'x'.repeat(300_000) }),
  );
  assert.is(tooLarge.status, 413);
  await eventually(5_000, () => readFileSync(log, 'utf8').includes('/events'));
  assert.not.match(readFileSync(log, 'utf8'), 'canary');
  await nginx.close();
  assert.is(await service.stop(), 0);
  assert.not.match(service.output(), 'canary');
});

proxy.run();
