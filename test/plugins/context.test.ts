import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { loadBundled } from './bundled-plugin.ts';

const context = suite('The context plugin adds the first existing file of a workspace to the system prompt');

async function promptWith(
  files: Record<string, string | Buffer>,
  config?: Record<string, unknown>,
  prepare = (_: string) => {},
): Promise<string[]> {
  const workspace = tempDirectory('context');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  prepare(workspace);
  const plugin = await loadBundled('context', { workspace, ...(config === undefined ? {} : { config }) });
  assert.is(plugin.info?.error, undefined);
  const prompt = await plugin.prompt();
  await plugin.close();
  return prompt;
}

context('AGENTS.md by default, named, and nothing without one', async () => {
  const [prompt = ''] = await promptWith({ 'AGENTS.md': 'Use tabs.', 'CLAUDE.md': 'Use spaces.' });
  assert.match(prompt, /AGENTS\.md/);
  assert.match(prompt, /Use tabs\./);
  assert.not.match(prompt, /spaces/);
  assert.equal(await promptWith({ 'README.md': 'x' }), []);
});

context('`files` are tried in their order', async () => {
  const files = { 'b.md': 'second', 'docs/c.md': 'third' };
  assert.match((await promptWith(files, { files: ['a.md', 'docs/c.md', 'b.md'] }))[0] ?? '', /third/);
});

context('`maxBytes` truncates, between characters, and says so', async () => {
  const [prompt = ''] = await promptWith({ 'AGENTS.md': `ab\u{1F600}${'x'.repeat(50)}` }, { maxBytes: 4 });
  assert.match(prompt, /\n\nab\n\[Cut after 4 of 56 bytes/);
  assert.not.match(prompt, /\uFFFD/);
});

context('paths outside the workspace are ignored, also through a link', async () => {
  const outside = tempDirectory('outside');
  writeFileSync(join(outside, 'secret.md'), 'SECRET');
  const link = (workspace: string): void => symlinkSync(join(outside, 'secret.md'), join(workspace, 'link.md'));
  const files = ['../secret.md', join(outside, 'secret.md'), 'link.md', 'mine.md'];
  const [prompt = ''] = await promptWith({ 'mine.md': 'mine' }, { files }, link);
  assert.match(prompt, /mine/);
  assert.not.match(prompt, /SECRET/);
});

context('binary files are passed over, an empty first file adds nothing', async () => {
  const [prompt = ''] = await promptWith({ 'AGENTS.md': Buffer.from([0, 255, 1]), 'CLAUDE.md': 'text' });
  assert.match(prompt, /text/);
  assert.equal(await promptWith({ 'AGENTS.md': ' \n', 'CLAUDE.md': 'text' }), []);
});
context.run();
