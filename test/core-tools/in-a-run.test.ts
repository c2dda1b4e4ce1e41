import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callOf, type Reply, scriptedModel } from '../helpers/scripted-model.ts';
import { only, withSession } from '../helpers/with-app.ts';
import { eventually } from '../helpers/within.ts';
import { running, sleep } from './running-processes.ts';

const test = suite('The core tools in a run of the service');

const settings = {
  model: { default: 'scripted' },
  plugins: { directories: [], config: { 'core-tools': { shellPermission: 'auto' } } },
};
const calls = (...toolCalls: ReturnType<typeof callOf>[]): Reply => ({ toolCalls });

test('files: written, edited, found, searched, read', async () => {
  const model = scriptedModel([
    calls(callOf('write_file', { path: 'src/a.txt', content: 'one\ntwo\n' })),
    calls(callOf('edit_file', { path: 'src/a.txt', old_string: 'two', new_string: '2' })),
    calls(callOf('find_files', { pattern: '*.txt' }), callOf('search_files', { pattern: '^\\d$' })),
    calls(callOf('read_file', { path: 'src/a.txt' })),
  ]);
  await withSession({ bundled: true, models: [model], settings }, async (_, session) => {
    await session.send('go', {});
    const results = only(await session.until('run.finished'), 'tool.finished').map(({ result }) => result);
    assert.equal(
      results.map(({ ok, content }) => [ok, content]),
      [
        [true, 'Created src/a.txt (8 bytes).'],
        [true, 'Changed src/a.txt at line 2.'],
        [true, 'src/a.txt'],
        [true, 'src/a.txt:2: 2'],
        [true, '     1\tone\n     2\t2'],
      ],
    );
    assert.match(JSON.stringify(results[1]?.data), /@@ -1,2 \+1,2 @@/);
    assert.not.match(JSON.stringify(model.requests), /@@ -1,2/, 'data is for clients only');
  });
});

test('an image that was read reaches the transcript', async () => {
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const model = scriptedModel([calls(callOf('read_file', { path: 'dot.png' }))]);
  await withSession({ bundled: true, models: [model], settings }, async (app, session) => {
    writeFileSync(join(app.workspace, 'dot.png'), png);
    await session.send('look');
    await session.until('run.finished');
    const message = (await app.detail(session.id)).messages.find(({ role }) => role === 'tool');
    assert.equal(message?.images, [{ mimeType: 'image/png', data: png.toString('base64'), name: 'dot.png' }]);
  });
});

test('cancel during a command: an error result, no further model call, nobody left', async () => {
  const command = `trap '' TERM; setsid ${sleep(360)} & (${sleep(360)} &); while :; do ${sleep(360)}; done`;
  const model = scriptedModel([calls(callOf('shell', { command }), callOf('write_file', { path: 'x', content: '' }))]);
  await withSession({ bundled: true, models: [model], settings }, async (app, session) => {
    await session.send('go');
    await session.until('tool.started');
    await eventually(4_000, () => running(sleep(360)) === 3);
    assert.equal(await app.call('POST', `${session.path}/cancel`, {}), { cancelled: true });
    const seen = await session.until('run.finished');
    assert.is(only(seen, 'run.finished')[0]?.status, 'cancelled');
    assert.equal(
      only(seen, 'tool.finished').map(({ result }) => result.ok),
      [false, false],
    );
    await eventually(5_000, () => running(sleep(360)) === 0);
    assert.is(model.requests.length, 1);
    assert.equal((await app.call<{ entries: unknown[] }>('GET', `${session.path}/files`, {})).entries, []);
  });
});

test('deleting a session ends its command', async () => {
  const model = scriptedModel([calls(callOf('shell', { command: sleep(370) }))]);
  await withSession({ bundled: true, models: [model], settings }, async (app, session) => {
    await session.send('go');
    await eventually(4_000, () => running(sleep(370)) === 1);
    await app.call('DELETE', session.path, { status: 204 });
    await eventually(5_000, () => running(sleep(370)) === 0);
  });
});

test('stopping the service ends what a command left in the background', async () => {
  const model = scriptedModel([calls(callOf('shell', { command: `setsid ${sleep(380)} & echo started` }))]);
  await withSession({ bundled: true, models: [model], settings }, async (_, session) => {
    await session.send('go');
    const [finished] = only(await session.until('run.finished'), 'tool.finished');
    assert.is(finished?.result.content, 'started');
    assert.is(running(sleep(380)), 1, 'it lives on after the run');
  });
  assert.is(running(sleep(380)), 0);
});

test('no tool reaches the sessions of the service in the default layout', async () => {
  const model = scriptedModel([
    calls(callOf('find_files', { pattern: '**', include_ignored: true })),
    calls(callOf('search_files', { pattern: 'secret words', include_ignored: true })),
    calls(callOf('list_files', { path: '.service' })),
    calls(callOf('read_file', { path: '.service/log' })),
    calls(callOf('write_file', { path: '.service/sessions/x.json', content: '{}' })),
  ]);
  const env = { SERVICE_DATA_DIR: 'workspace/.service' };
  await withSession({ bundled: true, models: [model], settings, env }, async (app, session) => {
    mkdirSync(join(app.workspace, '.service/sessions'), { recursive: true });
    mkdirSync(join(app.workspace, '.service/skills'), { recursive: true });
    writeFileSync(join(app.workspace, '.service/sessions/ses_1.json'), 'secret words');
    writeFileSync(join(app.workspace, '.service/memory.json'), '[]');
    await session.send('go');
    const results = only(await session.until('run.finished'), 'tool.finished').map(({ result }) => result);
    assert.equal(
      results.map(({ ok }) => ok),
      [true, true, true, false, false],
    );
    assert.is(results[0]?.content, '.service/memory.json');
    assert.match(results[1]?.content ?? '', /^No match/);
    assert.is(results[2]?.content, 'skills/\nmemory.json (2)');
  });
});

test.run();
