import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Checkpoint, CheckpointDiff, CheckpointList } from '../../lib/wire/checkpoint.ts';
import { errorOf } from '../helpers/invoke.ts';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp } from '../helpers/test-app.ts';
import { eventually, within } from '../helpers/within.ts';
import { describeTree } from './tree.ts';

const test = suite('The checkpoint routes');

/** The helper's services take no snapshots unless asked to. */
const checkpointing = { checkpoints: { enabled: 'auto' } };

const restorePath = (session: { id: string }, { id }: { id: string }) =>
  `/api/sessions/${session.id}/checkpoints/${id}/restore`;

test('POST checkpoints answers 201 {checkpoint}; the label defaults to Snapshot and the list shows it', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const session = await service.newSession();
  const path = `/api/sessions/${session.id}/checkpoints`;
  writeFileSync(join(service.workspace, 'a.txt'), 'a');
  const plain = await within(10_000, service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 }));
  const named = await service.call<{ checkpoint: Checkpoint }>('POST', path, {
    status: 201,
    body: { label: ' mine ' },
  });
  assert.is(plain.checkpoint.label, 'Snapshot');
  assert.is(named.checkpoint.label, 'mine');
  assert.match(plain.checkpoint.id, /^chk_/);
  assert.match(plain.checkpoint.sha, /^[0-9a-f]{40}$/);
  const list = await service.call<CheckpointList>('GET', path, {});
  assert.is(list.enabled, true);
  assert.equal(list.checkpoints, [named.checkpoint, plain.checkpoint]);
  await service.close();
});

test('restore answers {restored, safety}; a dry run touches nothing and names who shares the directory', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const session = await service.newSession();
  const neighbour = await service.newSession();
  const file = join(service.workspace, 'a.txt');
  writeFileSync(file, 'one');
  const path = `/api/sessions/${session.id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  writeFileSync(file, 'changed');
  const dry = await service.call('POST', `${restorePath(session, checkpoint)}?dryRun=1`, {});
  assert.equal(dry, {
    checkpoint,
    added: 0,
    changed: 1,
    deleted: 0,
    changes: [{ path: 'a.txt', status: 'changed', before: 7, after: 3 }],
    truncated: false,
    sharedWith: [{ sessionId: neighbour.id, running: false }],
  });
  assert.is(readFileSync(file, 'utf8'), 'changed');
  const diff = await service.call<CheckpointDiff>('GET', `${path}/${checkpoint.id}/diff`, {});
  assert.is(
    diff.changes[0]?.patch,
    '--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n\\ No newline at end of file\n+changed\n\\ No newline at end of file\n',
  );
  const done = await service.call<{ restored: Checkpoint; safety: Checkpoint }>(
    'POST',
    restorePath(session, checkpoint),
    {},
  );
  assert.equal(done.restored, checkpoint);
  assert.is(done.safety.label, 'Before restoring "Snapshot"');
  assert.equal(Object.keys(done), ['restored', 'safety']);
  assert.is(readFileSync(file, 'utf8'), 'one');
  await service.close();
});

test('restore says which files it had to leave alone', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const session = await service.newSession();
  const file = join(service.workspace, 'a');
  writeFileSync(file, 'one');
  const path = `/api/sessions/${session.id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  writeFileSync(file, 'now ignored');
  writeFileSync(join(service.workspace, '.gitignore'), 'a\n');
  const done = await service.call<{ warning: string }>('POST', restorePath(session, checkpoint), {});
  assert.equal(Object.keys(done), ['restored', 'safety', 'warning']);
  assert.match(done.warning, /^Left alone: a \(/);
  assert.is(readFileSync(file, 'utf8'), 'now ignored');
  await service.close();
});

test('restoring an unchanged workspace keeps no safety snapshot, and leaves those who share it alone', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const session = await service.newSession();
  const neighbour = service.app.sessions.findAny((await service.newSession()).id);
  assert.ok(neighbour);
  const claim = service.app.runs.claim(neighbour);
  const path = `/api/sessions/${session.id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  const before = service.app.events.lastSeq;
  const done = await service.call<Record<string, Checkpoint | null>>('POST', restorePath(session, checkpoint), {});
  assert.equal(done, { restored: checkpoint, safety: null });
  const { checkpoints } = await service.call<CheckpointList>('GET', path, {});
  assert.equal(checkpoints, [checkpoint]);
  assert.is(service.app.events.lastSeq, before, 'no notice');
  service.app.runs.release(claim);
  await service.close();
});

test('a checkpoint of another session or an unknown one is 404 not_found', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const [mine, other] = [await service.newSession(), await service.newSession()];
  const path = `/api/sessions/${other.id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  for (const id of [checkpoint.id, 'chk_nothing', '..%2F..']) {
    const restore = await service.fetch(restorePath(mine, { id }), { method: 'POST' });
    assert.is((await errorOf(restore)).code, 'not_found');
    const diff = await service.fetch(`/api/sessions/${mine.id}/checkpoints/${id}/diff`);
    assert.is((await errorOf(diff)).status, 404);
  }
  assert.equal((await service.call<CheckpointList>('GET', `/api/sessions/${mine.id}/checkpoints`, {})).checkpoints, []);
  await service.close();
});

test('a session with an active run answers restore with 409 session_busy', async () => {
  const service = await createTestApp({ settings: checkpointing });
  const session = await service.newSession();
  const path = `/api/sessions/${session.id}/checkpoints`;
  const { checkpoint } = await service.call<{ checkpoint: Checkpoint }>('POST', path, { status: 201 });
  const live = service.app.sessions.findAny(session.id);
  assert.ok(live);
  const claim = service.app.runs.claim(live);
  const busy = await errorOf(await service.fetch(restorePath(session, checkpoint), { method: 'POST' }));
  assert.is(`${busy.status} ${busy.code}`, '409 session_busy');
  service.app.runs.release(claim);
  await service.call('POST', restorePath(session, checkpoint), {});
  await service.close();
});

test('switched off, the list says enabled false with the reason and POST answers 409 checkpoints_unavailable', async () => {
  const service = await createTestApp({ settings: { checkpoints: { enabled: false } } });
  const workspace = join(service.directory, 'pinned');
  mkdirSync(workspace);
  const session = await service.newSession({ workspace });
  const path = `/api/sessions/${session.id}/checkpoints`;
  const list = await service.call<CheckpointList>('GET', path, {});
  assert.equal(list, { enabled: false, reason: 'checkpoints.enabled is false', checkpoints: [] });
  const refused = await errorOf(await service.fetch(path, { method: 'POST' }));
  assert.is(`${refused.status} ${refused.code}`, '409 checkpoints_unavailable');
  assert.match(refused.message, 'checkpoints.enabled is false');
  await service.close();
});

test('a message takes a snapshot before it, and rewind brings the files back; the default layout is safe', async () => {
  const service = await createTestApp({
    settings: { ...checkpointing, agent: { workspace: '.' } },
    env: { SERVICE_DATA_DIR: '.service' },
    models: [scriptedModel()],
  });
  const session = await service.newSession();
  const file = join(service.directory, 'a.txt');
  const memory = join(service.directory, '.service/memory.json');
  mkdirSync(join(service.directory, '.service'), { recursive: true });
  writeFileSync(file, 'one');
  writeFileSync(memory, 'one');
  const content = `please ${'🦆'.repeat(100)}`;
  await service.call('POST', `/api/sessions/${session.id}/messages`, { status: 202, body: { content } });
  await eventually(10_000, async () => (await service.detail(session.id)).status !== 'running', 'the end of the run');
  const path = `/api/sessions/${session.id}/checkpoints`;
  const { checkpoints } = await service.call<CheckpointList>('GET', path, {});
  const messageId = (await service.detail(session.id)).messages[0]?.id;
  assert.equal(
    checkpoints.map((each) => [each.label, each.messageId]),
    [[`Before: please ${'🦆'.repeat(65)}`, messageId]],
  );
  writeFileSync(file, 'two');
  writeFileSync(memory, 'two');
  const own = describeTree(join(service.directory, '.service/checkpoints')).length;
  const rewound = await service.call('POST', `/api/sessions/${session.id}/rewind`, { body: { messageId } });
  assert.equal(rewound.restored, checkpoints[0]);
  assert.is(rewound.warning, null);
  assert.is(readFileSync(file, 'utf8'), 'one');
  assert.is(readFileSync(memory, 'utf8'), 'one');
  assert.ok(describeTree(join(service.directory, '.service/checkpoints')).length >= own);
  const sizes = await service.call<CheckpointList>('GET', path, {});
  assert.ok((sizes.usage?.bytes ?? 0) > 0);
  await service.close();
});

test.run();
