import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { StoredMessage } from '../../lib/wire/message.ts';
import type { SessionStatus } from '../../lib/wire/session.ts';
import { createMemoryStore } from '../helpers/memory-store.ts';
import { callOf, scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp, type TestApp } from '../helpers/test-app.ts';
import { type TestSession, watch } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { author, sampleMessage } from '../store/sample.ts';

const test = suite('A message whose snapshot was lost with a crash, which came before any tool of its run');

interface Rewound {
  restored: { label: string; messageId: string } | null;
  warning: string | null;
}

for (const how of ['resumed', 'followed by another message'])
  test(`gets it with the next run (${how}): a rewind to it undoes what that run did to files`, async () => {
    const cutOff = sampleMessage('build it');
    const { service, session, file } = await afterCrash([cutOff]);
    if (how === 'resumed') await service.call('POST', `${session.path}/resume`, { status: 202 });
    else await session.send('and now?');
    await session.until('run.finished');
    assert.ok(existsSync(file));
    const { restored, warning } = await rewind(service, session, cutOff);
    assert.equal([restored?.label, restored?.messageId, warning], ['Before: build it', cutOff.id, null]);
    assert.not(existsSync(file));
    await end(service, session);
  });

test('can be rewound to at once: files are left alone, and the answer says so', async () => {
  const cutOff = sampleMessage('build it');
  const { service, session, file } = await afterCrash([cutOff]);
  writeFileSync(file, 'of a person');
  const { restored, warning } = await rewind(service, session, cutOff);
  assert.is(restored, null);
  assert.match(warning ?? '', 'no snapshot was taken before this message');
  assert.ok(existsSync(file));
  await end(service, session);
});

test('gets none when tools have run since: it would show what they did', async () => {
  const call = { id: 'call_1', name: 'touch', arguments: {} };
  const cutOff = sampleMessage('build it');
  const { service, session } = await afterCrash([
    cutOff,
    sampleMessage('', { role: 'assistant', toolCalls: [call] }),
    sampleMessage('done', { role: 'tool', toolCallId: call.id }),
  ]);
  await service.call('POST', `${session.path}/resume`, { status: 202 });
  await session.until('run.finished');
  assert.is((await rewind(service, session, cutOff)).restored, null);
  await end(service, session);
});

test('gets no second one', async () => {
  const cutOff = sampleMessage('build it');
  const { service, session } = await afterCrash([cutOff]);
  await service.call('POST', `${session.path}/resume`, { status: 202 });
  await session.until('run.finished');
  await session.send('and now?');
  await session.until('run.finished');
  const { checkpoints } = await service.call<{ checkpoints: { messageId: string }[] }>(
    'GET',
    `${session.path}/checkpoints`,
    {},
  );
  assert.is(checkpoints.filter(({ messageId }) => messageId === cutOff.id).length, 1);
  await end(service, session);
});

test('gets none once its session is deleted, also while it is being looked for', async () => {
  const { service, session } = await afterCrash([sampleMessage('build it')]);
  const { checkpoints } = service.app;
  const looking = signal();
  const goOn = signal();
  const look = checkpoints.ofMessage;
  Object.assign(checkpoints, {
    ofMessage: async (...about: Parameters<typeof look>) => {
      looking.give();
      await goOn.given;
      return look(...about);
    },
  });
  const owner = { id: session.id, tenantId: 'default', workspace: service.workspace };
  await service.call('POST', `${session.path}/resume`, { status: 202 });
  await within(5_000, looking.given);
  await service.call('DELETE', session.path, { status: 204 });
  await checkpoints.forget(owner);
  goOn.give();
  await checkpoints.capture({ ...owner, id: 'ses_another' }, 'behind it');
  assert.equal((await checkpoints.list(owner)).checkpoints, []);
  await end(service, session);
});

test.run();

/** A service that finds a session as a crash in its run has left it, and no checkpoint. Its model has one file made by each run. */
async function afterCrash(messages: StoredMessage[]) {
  const store = createMemoryStore();
  const left = author();
  const status: SessionStatus = 'running';
  const files: string[] = [];
  const model = scriptedModel([{ toolCalls: [callOf('touch')] }, { content: 'done' }]);
  const touch = {
    name: 'touch',
    description: 'Makes a file.',
    parameters: { type: 'object' },
    execute: () => {
      for (const file of files) writeFileSync(file, 'made');
      return 'made';
    },
  };
  const settings = { checkpoints: { enabled: 'auto' } };
  const options = { settings, models: [model], tools: [touch] };
  const empty = await createTestApp(options);
  const { directory, workspace } = empty;
  const { model: name } = await empty.newSession();
  await empty.close();
  await store.commit(left.create({ status, workspace, model: name, messageCount: messages.length }));
  await store.commit(left.append(...messages));
  const file = join(workspace, 'made.txt');
  files.push(file);
  const service = await createTestApp({ ...options, store, directory });
  return { service, session: await watch(service, left.id), file };
}

function signal() {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give };
}

function rewind(service: TestApp, { path }: TestSession, { id }: StoredMessage): Promise<Rewound> {
  return service.call<Rewound>('POST', `${path}/rewind`, { body: { messageId: id } });
}

async function end(service: TestApp, { stream }: TestSession): Promise<void> {
  await stream.close();
  await service.close();
}
