import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventStream } from '../helpers/event-stream.ts';
import { startService } from '../helpers/running-service.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';

const test = suite('The log of the running service');

const linesOf = (output: string) => output.split('\n').filter((line) => /^\d{4}-|^\{/.test(line));

async function linesAt(env: Record<string, string>, log: object = {}): Promise<string[]> {
  const service = await startService({ env, settings: { log, plugins: { directories: [], config: {} }, srever: {} } });
  assert.is(await service.stop(), 0);
  return linesOf(service.output());
}

test('is text at level info, says what is odd, and says that it stops', async () => {
  const lines = await linesAt({});
  assert.match(lines.join('\n'), /^\S+Z WARN {2}Configuration: .*did you mean "server"/m);
  assert.match(lines.join('\n'), /^\S+Z INFO {2}Stopped/m);
  assert.not.match(lines.join('\n'), 'DEBUG');
});

test('SERVICE_LOG_FORMAT=json makes every line an object; SERVICE_LOG_LEVEL chooses which', async () => {
  const lines = await linesAt({ SERVICE_LOG_FORMAT: 'json', SERVICE_LOG_LEVEL: 'warn' });
  assert.ok(lines.length > 0);
  for (const line of lines) assert.ok(['warn', 'error'].includes(JSON.parse(line).level), line);
  assert.equal(await linesAt({ SERVICE_LOG_LEVEL: 'silent' }), []);
  assert.equal(await linesAt({}, { level: 'silent' }), []);
});

const canary = (name: string) => `canary-${name}-0815`;

test('holds no token, key or query token, whatever goes wrong', async () => {
  const apiKey = canary('provider-key');
  const model = await startScriptedModel({ apiKey: 'another-key' });
  const provider = { baseUrl: model.url, apiKey, models: ['scripted'] };
  const settings = {
    server: { token: canary('operator') },
    log: { level: 'debug' },
    agent: { retry: { attempts: 1 } },
    plugins: { config: { 'chat-completions': provider } },
  };
  const service = await startService({ settings });
  const token = canary('operator');
  for (const [path, init] of [
    [`/api/sessions?token=${canary('wrong-query')}`, {}],
    [`/api/sessions?token=${token}`, {}],
    [`/api/nothing?token=${token}`, {}],
    [`/api/sessions?token=${token}`, { method: 'POST', body: '{' }],
    ['/api/sessions', { headers: { authorization: `Bearer ${canary('wrong-header')}` } }],
    [`/api/sessions/%zz?token=${token}`, {}],
  ] as const)
    assert.not.match(await (await service.fetch(path, init)).text(), 'canary');
  const { session } = await service.client.createSession();
  const stream = await openEventStream(`${service.url}/api/sessions/${session.id}/events?token=${token}`);
  await service.client.sendMessage(session.id, { content: 'hello' });
  const failed = await stream.until('run.failed', { ms: 10_000 });
  assert.not.match(JSON.stringify(failed), 'canary');
  await stream.close();
  await within(10_000, service.stop());
  await model.close();
  assert.not.match(service.output(), 'canary');
  assert.match(service.output(), 'Stopped');
});

test.run();
