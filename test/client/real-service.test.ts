import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';

const test = suite('the client and the service understand each other');
const open: { close(): Promise<unknown> }[] = [];

/** The built service with one scripted model. */
async function start(model: ScriptedModel, settings: object = {}): Promise<RunningService> {
  const provider = { baseUrl: model.url, apiKey: 'k', models: ['scripted'] };
  const service = await startService({
    settings: { plugins: { config: { 'chat-completions': provider } }, ...settings },
  });
  open.push({ close: () => service.kill() });
  return service;
}

async function script(options: Parameters<typeof startScriptedModel>[0]): Promise<ScriptedModel> {
  const model = await startScriptedModel(options);
  open.push(model);
  return model;
}

test.after.each(async () => {
  for (const thing of open.splice(0)) await thing.close().catch(() => {});
});

test('a turn with a tool runs over the wire, in the order of the contract', async () => {
  const model = await script({
    replies: [
      [{ text: 'Reading. ' }, { toolCall: { name: 'read_file', arguments: { path: 'a.txt' }, fragments: 4 } }],
      [{ reasoning: 'It says hello.' }, { text: ['It says ', 'hello.'] }, { usage: { input: 20, output: 9 } }],
    ],
  });
  const { client, workspace } = await start(model);
  writeFileSync(join(workspace, 'a.txt'), 'hello\n');
  const { session } = await client.createSession();
  const types: string[] = [];
  const result = await within(
    15_000,
    client.sendAndWait(session.id, 'What is in a.txt?', { onEvent: ({ event }) => types.push(event.type) }),
  );
  assert.is(result.status, 'completed');
  assert.is(result.message?.content, 'It says hello.');
  assert.is(result.usage?.totalTokens, 44);
  const order = [
    'message.completed',
    'run.started',
    'message.started',
    'message.delta',
    'tool.started',
    'tool.finished',
  ];
  const positions = order.map((type) => types.indexOf(type));
  assert.equal(
    positions,
    [...positions].sort((a, b) => a - b),
    types.join(', '),
  );
  assert.not.ok(positions.includes(-1), types.join(', '));
  assert.is(types.at(-1), 'run.finished');
  assert.equal(
    model.requests.map(({ problem }) => problem),
    [undefined, undefined],
  );
});

test('a token is asked for and sent', async () => {
  const service = await start(await script({}), { server: { token: 'secret-token' } });
  assert.is((await service.fetch('/api/sessions')).status, 401);
  assert.equal(await service.client.listSessions(), { sessions: [] });
});

test('what was acknowledged survives kill -9, and a run that was cut is interrupted and resumable', async () => {
  const model = await script({ replies: [[{ text: 'never finished' }, { hold: 'for ever' }], [{ text: 'Done.' }]] });
  const service = await start(model);
  const { session } = await service.client.createSession({ title: 'Kept' });
  await service.client.sendMessage(session.id, { content: 'remember this' });
  await within(10_000, model.held('for ever'));
  await service.kill();

  const again = await service.restart();
  open.push({ close: () => again.kill() });
  const { session: found } = await again.client.readSession(session.id);
  assert.is(found.title, 'Kept');
  assert.is(found.status, 'interrupted');
  assert.is(found.messages[0]?.content, 'remember this');

  const abort = new AbortController();
  const events = again.client.events({ sessionId: session.id, signal: abort.signal, onOpen: () => void resume() });
  const resume = () => again.client.resumeSession(session.id);
  const ends: string[] = [];
  const follow = async () => {
    for await (const { event } of events) {
      if (event.type !== 'run.finished' && event.type !== 'run.failed') continue;
      ends.push(event.type === 'run.finished' ? event.status : event.error);
      abort.abort();
    }
  };
  await within(15_000, follow());
  assert.equal(ends, ['completed']);
  assert.is(await again.stop(), 0);
});

test.run();
