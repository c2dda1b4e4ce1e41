import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openEventStream } from '../helpers/event-stream.ts';
import { type RunningService, startService } from '../helpers/running-service.ts';
import { type ScriptedModel, startScriptedModel } from '../helpers/scripted-model-server.ts';
import { eventually, within } from '../helpers/within.ts';

const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });

interface Scene {
  model: ScriptedModel;
  service: RunningService;
  sessionId: string;
}

/** A service whose only run is waiting in the middle of the model's answer. */
async function inTheMiddle(drainMs: number): Promise<Scene> {
  const model = await startScriptedModel({
    replies: [[{ text: 'first' }, { hold: 'middle' }, { text: ' second' }, { finish: 'stop' }]],
  });
  const provider = { baseUrl: model.url, apiKey: 'key-12345', model: 'scripted', models: ['scripted'] };
  const settings = { server: { drainMs }, plugins: { config: { 'chat-completions': provider } } };
  const service = await startService({ settings });
  const created = await service.fetch('/api/sessions', post({}));
  const { session } = (await created.json()) as { session: { id: string } };
  await service.fetch(`/api/sessions/${session.id}/messages`, post({ content: 'Go' }));
  await within(10_000, model.held('middle'));
  return { model, service, sessionId: session.id };
}

async function statusAfterRestart({ service, sessionId }: Scene): Promise<string> {
  const again = await service.restart();
  const answer = await again.fetch(`/api/sessions/${sessionId}`);
  const { session } = (await answer.json()) as { session: { status: string } };
  await again.stop();
  return session.status;
}

const stopping = suite('SIGTERM: veto new runs, drain, end streams, flush, exit 0');

stopping('an idle service ends at once, and so do its streams', async () => {
  const service = await startService();
  const stream = await openEventStream(`${service.url}/api/events`);
  assert.is(await within(10_000, service.stop()), 0);
  await stream.close();
  assert.match(service.output(), 'Stopped');
});

stopping('a run in progress may end within drainMs; its watchers see the end, new runs are refused', async () => {
  const scene = await inTheMiddle(20_000);
  const { model, service, sessionId } = scene;
  const stream = await openEventStream(`${service.url}/api/sessions/${sessionId}/events?lastEventId=0`);
  const created = await service.fetch('/api/sessions', post({}));
  const { session: other } = (await created.json()) as { session: { id: string } };
  const stopped = service.stop();
  await eventually(5_000, () => service.output().includes('Stopping'));

  const refused = await service.fetch(`/api/sessions/${other.id}/messages`, post({ content: 'Me too' }));
  assert.is(refused.status, 429);
  assert.is(((await refused.json()) as { error: { code: string } }).error.code, 'shutting_down');
  assert.ok(Number(refused.headers.get('retry-after')) > 0);

  model.release('middle');
  await stream.until('run.finished', { ms: 10_000 });
  assert.is(await within(10_000, stopped), 0);
  await stream.close();
  assert.is(await statusAfterRestart(scene), 'idle');
  await model.close();
});

stopping('what is left after drainMs is interrupted, not lost', async () => {
  const scene = await inTheMiddle(100);
  assert.is(await within(10_000, scene.service.stop()), 0);
  assert.is(await statusAfterRestart(scene), 'interrupted');
  await scene.model.close();
});

stopping('SIGINT stops as well', async () => {
  const service = await startService();
  assert.is(await within(10_000, service.stop('SIGINT')), 0);
});

stopping('a second signal ends the process at once', async () => {
  const scene = await inTheMiddle(60_000);
  const first = scene.service.stop();
  await eventually(5_000, () => scene.service.output().includes('Stopping'));
  assert.is(await within(5_000, scene.service.stop()), 128 + 15);
  assert.is(await first, 128 + 15);
  assert.is(await statusAfterRestart(scene), 'interrupted');
  await scene.model.close();
});

stopping.run();
