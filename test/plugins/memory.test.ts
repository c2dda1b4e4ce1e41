import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { type BundledPlugin, loadBundled } from './bundled-plugin.ts';

interface Fixture {
  workspace: string;
  memory: BundledPlugin;
}

const memory = suite<Fixture>('The memory of a workspace');
memory.before.each(async (fixture) => {
  fixture.workspace = tempDirectory('memory');
  fixture.memory = await loadBundled('memory', { workspace: fixture.workspace });
});
memory.after.each((fixture) => fixture.memory.close());

const idIn = (text: string): string => /mem_[0-9a-f]+/.exec(text)?.[0] ?? 'none';
const stored = (
  workspace: string,
  path = '.service/memory.json',
): { entries: { id: string; content: string; tags: string[] }[] } =>
  JSON.parse(readFileSync(join(workspace, path), 'utf8'));

memory(
  'what is saved is found, listed and can be deleted; the file is readable JSON',
  async ({ memory, workspace }) => {
    const saved = await memory.call('memory_save', { content: 'The build needs Node 20', tags: ['build'] });
    const id = idIn(saved.content);
    assert.equal(
      stored(workspace).entries.map(({ content, tags }) => ({ content, tags })),
      [{ content: 'The build needs Node 20', tags: ['build'] }],
    );
    assert.match((await memory.call('memory_search', { query: 'node' })).content, new RegExp(`${id}.*Node 20`));
    assert.match((await memory.call('memory_list', {})).content, new RegExp(id));
    assert.match((await memory.call('memory_delete', { id })).content, /Deleted/);
    assert.match((await memory.call('memory_list', {})).content, /empty/);
    assert.is((await memory.call('memory_delete', { id })).isError, true);
  },
);

memory('blank content is refused: it would push a real entry out of a full memory', async ({ memory, workspace }) => {
  await memory.call('memory_save', { content: 'The build needs Node 20' });
  const { content, isError } = await memory.call('memory_save', { content: ' \n\t' });
  assert.is(isError, true);
  assert.match(content, /content/);
  assert.is(stored(workspace).entries.length, 1);
});

memory('a search ranks: both words before one, tags before text; beginnings and slips count', async ({ memory }) => {
  for (const [content, tags] of [
    ['Deploy on Fridays is forbidden', []],
    ['The deploy script is in tools', ['script']],
    ['Lunch is at noon', ['deploy']],
  ] as const)
    await memory.call('memory_save', { content, tags: [...tags] });
  const { content } = await memory.call('memory_search', { query: 'deploy script' });
  assert.match(content.split('\n')[0] ?? '', /tools/);
  assert.match((await memory.call('memory_search', { query: 'fri' })).content, /Fridays/);
  assert.match((await memory.call('memory_search', { query: 'forbiden' })).content, /Fridays/);
  assert.match((await memory.call('memory_search', { query: 'deploy', limit: 1 })).content, /Lunch/);
  assert.match((await memory.call('memory_search', { query: 'zebra' })).content, /Nothing/);
});

memory('of a query 32 words count, each once, and a letter as itself only', async ({ memory }) => {
  for (const content of ['The zebra is striped', 'Vitamin a is no vitamin b'])
    await memory.call('memory_save', { content });
  const found = async (query: string) => (await memory.call('memory_search', { query })).content;
  const others = Array.from({ length: 32 }, (_, at) => `w${at}w`).join(' ');
  assert.match(await found(`zebra ${others}`), /striped/);
  assert.match(await found(`${others} zebra`), /Nothing/);
  assert.match(await found(`${'x '.repeat(200)} zebra`), /striped/);
  assert.match(await found('A'), /Vitamin/);
  assert.match(await found('z'), /Nothing/);
  assert.match(await found('ze'), /striped/);
});

memory('a file with one entry of millions of words is searched like any other', async ({ memory, workspace }) => {
  const entry = (id: string, content: string) => ({ id, content, tags: [], createdAt: '2026-01-01T00:00:00.000Z' });
  const words = Array.from({ length: 1_500_000 }, (_, number) => `w${number}`).join(' ');
  mkdirSync(join(workspace, '.service'));
  const entries = [entry('mem_1', words), entry('mem_2', 'The zebra is striped')];
  writeFileSync(join(workspace, '.service/memory.json'), JSON.stringify({ entries }));
  assert.match((await memory.call('memory_search', { query: 'zebra' })).content, /^mem_2 .*striped$/);
  assert.match((await memory.call('memory_search', { query: 'w7' })).content, /^mem_1 /);
});

memory('what could not be read again is not saved: the memory stays usable', async ({ memory, workspace }) => {
  mkdirSync(join(workspace, '.service'));
  const content = 'x'.repeat(16 * 1024 * 1024 - 1_000);
  const entries = [{ id: 'mem_1', content, tags: [], createdAt: '2026-01-01T00:00:00.000Z' }];
  writeFileSync(join(workspace, '.service/memory.json'), JSON.stringify({ entries }));
  const refused = await memory.call('memory_save', { content: 'y'.repeat(4_000) }).catch(String);
  assert.match(JSON.stringify(refused), /The memory is full/);
  assert.match((await memory.call('memory_delete', { id: 'mem_1' })).content, /Deleted/);
  assert.match((await memory.call('memory_save', { content: 'y' })).content, /Saved/);
});

memory('a list is newest first, by tag, and says how many it leaves out', async ({ memory }) => {
  for (const at of [1, 2, 3])
    await memory.call('memory_save', { content: `fact ${at}`, tags: at === 2 ? ['even'] : [] });
  const { content } = await memory.call('memory_list', { limit: 2 });
  assert.match(content, /fact 3[\s\S]*fact 2[\s\S]*1 older/);
  const even = await memory.call('memory_list', { tag: 'even' });
  assert.match(even.content, /fact 2/);
  assert.not.match(even.content, /fact [13]/);
});

memory('savings at the same time are all kept', async ({ memory, workspace }) => {
  await Promise.all(Array.from({ length: 25 }, (_, at) => memory.call('memory_save', { content: `fact ${at}` })));
  const { entries } = stored(workspace);
  assert.is(entries.length, 25);
  assert.is(new Set(entries.map(({ id }) => id)).size, 25);
});

memory('a file that is no memory is reported and left as it is', async ({ memory, workspace }) => {
  mkdirSync(join(workspace, '.service'));
  writeFileSync(join(workspace, '.service/memory.json'), '{"entries": [');
  let message = '';
  await memory.call('memory_save', { content: 'x' }).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /not a memory file/);
  assert.is(readFileSync(join(workspace, '.service/memory.json'), 'utf8'), '{"entries": [');
  writeFileSync(join(workspace, '.service/memory.json'), '{"entries": []}');
  assert.match((await memory.call('memory_save', { content: 'x' })).content, /Saved/);
});

memory('reading alone makes no file, and wrong arguments are refused', async ({ memory, workspace }) => {
  await memory.call('memory_list', {});
  assert.not.ok(existsSync(join(workspace, '.service')));
  assert.is((await memory.call('memory_save', { content: '' })).isError, true);
  assert.is((await memory.call('memory_save', { content: 'x'.repeat(4_001) })).isError, true);
});
memory.run();

const options = suite('The options of the memory plugin');

options('`path` moves the file, and can not lead out of the workspace', async () => {
  const workspace = tempDirectory('memory');
  const memory = await loadBundled('memory', { workspace, config: { path: 'notes/brain.json' } });
  await memory.call('memory_save', { content: 'here' });
  assert.is(stored(workspace, 'notes/brain.json').entries.length, 1);
  await memory.close();
  for (const path of ['../memory.json', '/tmp/memory.json', 'a/../../b.json', 'C:\\memory.json', ''])
    assert.is((await loadBundled('memory', { config: { path } })).info?.state, 'failed', path);
});

options('beyond `maxEntries` the oldest make room, and the answer says so', async () => {
  const workspace = tempDirectory('memory');
  const memory = await loadBundled('memory', { workspace, config: { maxEntries: 2 } });
  for (const content of ['one', 'two']) await memory.call('memory_save', { content });
  assert.match((await memory.call('memory_save', { content: 'three' })).content, /1 of the oldest/);
  assert.equal(
    stored(workspace).entries.map(({ content }) => content),
    ['two', 'three'],
  );
  await memory.close();
});
options.run();
