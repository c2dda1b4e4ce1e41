import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { type PluginFolders, pluginFolders, toolPlugin } from './plugin-folders.ts';

interface Fixture {
  folders: PluginFolders;
}

const scanning = suite<Fixture>('The package is scanned first, then plugins.directories');
scanning.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
scanning.after.each((fixture) => fixture.folders.close());

scanning('a second manifest with a known name is one warning and is not loaded', async ({ folders }) => {
  folders.plugin('same', toolPlugin('from_package'), { under: 'package/dist/plugins' });
  folders.plugin('same', toolPlugin('from_directory'));
  const { host, tools, log } = folders.host();
  await within(5_000, host.load());
  assert.ok(tools.get('from_package'));
  assert.is(tools.get('from_directory'), undefined);
  assert.is(log.filter(({ level, message }) => level === 'warn' && message.includes('found twice')).length, 1);
});

scanning('the sources of the bundled plugins in a checkout are passed over without a warning', async ({ folders }) => {
  folders.plugin('same', toolPlugin('built'), { under: 'package/dist/plugins' });
  folders.plugin('same', 'not built', { under: 'package/plugins' });
  const { host, tools, log } = folders.host({ cwd: `${folders.root}/package` });
  await within(5_000, host.load());
  assert.ok(tools.get('built'));
  assert.equal(log, []);
});

scanning('plugins.allow is exact: everything else is inactive, and its dependents fail', async ({ folders }) => {
  folders.plugin('wanted', toolPlugin('wanted'));
  folders.plugin('unwanted', toolPlugin('unwanted'));
  folders.plugin('dependent', toolPlugin('dependent'), { manifest: { dependencies: ['unwanted'] } });
  const { host, tools, info, log } = folders.host({ plugins: { allow: ['wanted', 'dependent', 'mistyped'] } });
  await within(5_000, host.load());
  assert.is(info('wanted')?.state, 'active');
  assert.is(info('unwanted')?.state, 'inactive');
  assert.is(tools.get('unwanted'), undefined);
  assert.match(info('dependent')?.error ?? '', /plugins\.allow/);
  assert.ok(log.some(({ message }) => message.includes('"mistyped"')));
});

scanning('foreign plugins in mode accounts without plugins.allow are warned about', async ({ folders }) => {
  folders.plugin('foreign', toolPlugin('foreign'));
  const { host, log } = folders.host({ auth: 'accounts' });
  await within(5_000, host.load());
  assert.ok(log.some(({ level, message }) => level === 'warn' && message.includes('plugins.allow')));
});
scanning.run();

const ordering = suite<Fixture>('Dependencies load first');
ordering.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
ordering.after.each((fixture) => fixture.folders.close());

ordering('a dependent uses what its dependency provides', async ({ folders }) => {
  folders.plugin('a-user', `export default { apply({ use }) { use('seen').seen.push(use('clock.words').now()); } };`, {
    manifest: { dependencies: ['z-provider'] },
  });
  folders.plugin(
    'z-provider',
    `export default { apply({ provide }) { provide('clock.words', { now: () => 'noon' }); } };`,
  );
  const seen: string[] = [];
  const { host, info } = folders.host({ services: { seen: { seen } } });
  await within(5_000, host.load());
  assert.equal(seen, ['noon']);
  assert.equal(info('a-user')?.dependencies, ['z-provider']);
});

ordering('missing, failed and cyclic dependencies fail with a text; the rest loads', async ({ folders }) => {
  folders.plugin('missing', toolPlugin('a'), { manifest: { dependencies: ['nobody'] } });
  folders.plugin('broken', `export default { apply() { throw new Error('x'); } };`);
  folders.plugin('on-broken', toolPlugin('b'), { manifest: { dependencies: ['broken'] } });
  folders.plugin('ring-1', toolPlugin('c'), { manifest: { dependencies: ['ring-2'] } });
  folders.plugin('ring-2', toolPlugin('d'), { manifest: { dependencies: ['ring-1'] } });
  folders.plugin('fine', toolPlugin('e'));
  const { host, info, tools } = folders.host();
  await within(5_000, host.load());
  assert.match(info('missing')?.error ?? '', /"nobody", which was not found/);
  assert.match(info('on-broken')?.error ?? '', /"broken", which failed/);
  assert.match(info('ring-1')?.error ?? '', /cycle: ring-1 -> ring-2 -> ring-1/);
  assert.match(info('ring-2')?.error ?? '', /cycle: ring-2 -> ring-1 -> ring-2/);
  assert.equal(
    tools.schemas().map(({ name }) => name),
    ['e'],
  );
});

ordering('bundled providers come first, the demo model last of all', async ({ folders }) => {
  const module = `export default { apply({ use, plugin }) { use('seen').seen.push(plugin.id); } };`;
  for (const name of ['browser', 'chat-completions', 'demo-model', 'messages-api', 'triggers'])
    folders.plugin(name, module, { under: 'package/dist/plugins' });
  folders.plugin('zebra', module);
  const seen: string[] = [];
  const { host } = folders.host({ services: { seen: { seen } } });
  await within(5_000, host.load());
  assert.equal(seen, ['chat-completions', 'messages-api', 'browser', 'triggers', 'zebra', 'demo-model']);
});
ordering.run();
