import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { tempDirectory } from '../helpers/temp-directory.ts';
import { type BundledPlugin, loadBundled } from './bundled-plugin.ts';

async function skillsIn(
  files: Record<string, string>,
  config?: Record<string, unknown>,
  prepare = (_: string) => {},
): Promise<BundledPlugin> {
  const workspace = tempDirectory('skills');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  prepare(workspace);
  const plugin = await loadBundled('skills', { workspace, ...(config === undefined ? {} : { config }) });
  assert.is(plugin.info?.error, undefined);
  return plugin;
}

const release =
  '---\nname: release\ndescription: >\n  How to release\n  a version\n---\n# Release\n\nBump, tag, push.\n';

const listing = suite('Skills are listed in the system prompt');

listing('with name and description from the front matter, on one line each', async () => {
  const skills = await skillsIn({
    '.service/skills/rel/SKILL.md': release,
    'skills/review.md': '# Review well\n\nRead twice.',
  });
  const [prompt = ''] = await skills.prompt();
  assert.match(prompt, /use_skill/);
  assert.match(prompt, /^- release: How to release a version$/m);
  assert.match(prompt, /^- review: Review well$/m);
  assert.not.match(prompt, /Bump|Read twice/);
  await skills.close();
});

listing('a workspace without skills adds nothing', async () => {
  const skills = await skillsIn({ 'skills/empty/README.txt': 'x', 'skills/notes.txt': 'x' });
  assert.equal(await skills.prompt(), []);
  await skills.close();
});

listing('of two skills with one name the first directory counts', async () => {
  const skills = await skillsIn({ '.service/skills/a/SKILL.md': 'mine', 'skills/a/SKILL.md': 'other' });
  assert.match((await skills.prompt())[0] ?? '', /- a: mine/);
  assert.match((await skills.call('use_skill', { name: 'a' })).content, /mine/);
  await skills.close();
});

listing(
  'front matter that is no YAML, bombs with aliases, or gives a name that is none does not break the list',
  async () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghij'.split('').map((key, at) => `${key}: &${key} [*${'abcdefghi'[at]}, *${'abcdefghi'[at]}]`),
    ];
    const skills = await skillsIn({
      'skills/broken/SKILL.md': '---\n{: [\n---\nBody of broken',
      'skills/bomb/SKILL.md': `---\n${bomb.join('\n')}\n---\nBody of bomb`,
      'skills/plain/SKILL.md': '---\nname: "../evil\\nname"\n---\nBody of plain',
    });
    const [prompt = ''] = await skills.prompt();
    for (const name of ['broken', 'bomb', 'plain'])
      assert.match(prompt, new RegExp(`^- ${name}: Body of ${name}$`, 'm'));
    await skills.close();
  },
);
listing.run();

const loading = suite('use_skill loads a skill when it is needed');

loading('the instructions without front matter, and the files beside them', async () => {
  const skills = await skillsIn({
    'skills/rel/SKILL.md': release,
    'skills/rel/forms/a.txt': 'A form',
    'skills/other/SKILL.md': 'x',
  });
  const { content } = await skills.call('use_skill', { name: 'release' });
  assert.match(content, /Bump, tag, push\./);
  assert.not.match(content, /description:/);
  assert.match(content, /^- forms\/a\.txt$/m);
  assert.not.match(content, /other/);
  assert.is((await skills.call('use_skill', { name: 'release', resource: 'forms/a.txt' })).content, 'A form');
  await skills.close();
});

loading('an unknown skill is an error that names those that are there', async () => {
  const skills = await skillsIn({ 'skills/rel/SKILL.md': release });
  const answer = await skills.call('use_skill', { name: 'nothing' });
  assert.is(answer.isError, true);
  assert.match(answer.content, /Skills here: release/);
  await skills.close();
});

loading('a resource can not lead out of the folder of its skill', async () => {
  const skills = await skillsIn({ 'skills/rel/SKILL.md': release, 'secret.txt': 'SECRET' }, undefined, (workspace) =>
    symlinkSync('/etc/hostname', join(workspace, 'skills/rel/link')),
  );
  for (const resource of ['../../secret.txt', '..\\..\\secret.txt', 'link', '/etc/hostname']) {
    const answer = await skills
      .call('use_skill', { name: 'release', resource })
      .catch((error: Error) => ({ content: error.message, isError: true }));
    assert.is(answer.isError, true, resource);
    assert.not.match(answer.content, /SECRET/);
  }
  await skills.close();
});
loading.run();

const options = suite('The options of the skills plugin');

options('`directories` and `toolName`', async () => {
  const skills = await skillsIn(
    { 'know-how/a.md': 'Alpha', 'skills/b.md': 'Beta' },
    { directories: ['know-how', '../elsewhere'], toolName: 'load_skill' },
  );
  const [prompt = ''] = await skills.prompt();
  assert.match(prompt, /load_skill/);
  assert.match(prompt, /Alpha/);
  assert.not.match(prompt, /Beta/);
  assert.match((await skills.call('load_skill', { name: 'a' })).content, /Alpha/);
  await skills.close();
});

options('`maxSkillBytes` cuts, `maxSkills` bounds the list', async () => {
  const skills = await skillsIn(
    { 'skills/a.md': 'x'.repeat(100), 'skills/b.md': 'b', 'skills/c.md': 'c' },
    { maxSkillBytes: 10, maxSkills: 2 },
  );
  assert.is(((await skills.prompt())[0] ?? '').match(/^- /gm)?.length, 2);
  assert.match((await skills.call('use_skill', { name: 'a' })).content, /\nx{10}\n\n\[Cut after 10 of 100 bytes/);
  await skills.close();
});

options('a wrong value fails the plugin', async () => {
  for (const config of [{ toolName: 'no name' }, { maxSkills: 0 }, { directories: 'skills' }])
    assert.is((await loadBundled('skills', { config })).info?.state, 'failed');
});
options.run();
