import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { type PluginFolders, pluginFolders, toolPlugin } from './plugin-folders.ts';

interface Fixture {
  folders: PluginFolders;
}

const loading = suite<Fixture>('A server plugin is a folder with a manifest and a module with one default export');
loading.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
loading.after.each((fixture) => fixture.folders.close());

loading('one in plain JavaScript is active after the load, and its tool is registered', async ({ folders }) => {
  folders.plugin('greeter', toolPlugin('greet'), { manifest: { displayName: 'Greeter', description: 'Says hello.' } });
  const { host, tools, info } = folders.host();
  await within(5_000, host.load());
  assert.equal(info('greeter'), {
    id: 'greeter',
    name: 'Greeter',
    version: '1.2.3',
    description: 'Says hello.',
    state: 'active',
    dependencies: [],
  });
  assert.ok(tools.get('greet'));
});

loading('options for a plugin that is not there are told: its name may be misspelt', async ({ folders }) => {
  folders.plugin('greeter', toolPlugin('greet'));
  const { host, log } = folders.host({ plugins: { config: { greeter: {}, greter: { secret: 'hush' } } } });
  await within(5_000, host.load());
  assert.equal(
    log.filter(({ level }) => level === 'warn').map(({ message }) => message),
    ['plugins.config has options for "greter", but there is no such plugin.'],
  );
});

loading('`main` names the module, index.js and index.mjs are found without it', async ({ folders }) => {
  folders.plugin('named', toolPlugin('a'), { manifest: { main: 'src/start.mjs' } });
  folders.plugin('mjs', toolPlugin('b'));
  folders.plugin('js', toolPlugin('c'), {
    files: { 'index.js': toolPlugin('d'), 'package.json': '{"type":"module"}' },
  });
  const { host, tools } = folders.host();
  await within(5_000, host.load());
  assert.equal(
    ['a', 'b', 'c', 'd'].map((name) => tools.get(name) !== undefined),
    [true, true, false, true],
  );
});

loading(
  'a module without a usable default export, a missing module and a bad manifest are failed with a reason',
  async ({ folders }) => {
    folders.plugin('no-default', 'export const apply = () => {};');
    folders.plugin('no-module', '', {
      manifest: { main: 'a.mjs' },
      files: { 'service.plugin.json': '{"name":"no-module","main":"b.mjs"}' },
    });
    folders.plugin('bad-json', '', { files: { 'service.plugin.json': '{"name":' } });
    folders.plugin('bad-syntax', 'export default {{');
    const { host, info } = folders.host();
    await within(5_000, host.load());
    assert.match(info('no-default')?.error ?? '', /no default export/);
    assert.match(info('no-module')?.error ?? '', /There is no b\.mjs/);
    assert.match(info('bad-json')?.error ?? '', /not valid JSON/);
    assert.is(info('bad-syntax')?.state, 'failed');
  },
);

loading('one failing plugin disturbs nobody, and what it registered before is undone', async ({ folders }) => {
  folders.plugin('a-fails', `${toolPlugin('half').replace('); } };', '); throw new Error("no luck"); } };')}`);
  folders.plugin('b-works', toolPlugin('whole'));
  const { host, tools, info } = folders.host();
  await within(5_000, host.load());
  assert.is(info('a-fails')?.state, 'failed');
  assert.is(info('a-fails')?.error, 'no luck');
  assert.is(tools.get('half'), undefined);
  assert.is(info('b-works')?.state, 'active');
  assert.ok(tools.get('whole'));
});

loading('a tool name that another plugin took fails the second plugin only', async ({ folders }) => {
  folders.plugin('one', toolPlugin('same', 'first'));
  folders.plugin('two', toolPlugin('same', 'second'));
  const { host, info } = folders.host();
  await within(5_000, host.load());
  assert.is(info('one')?.state, 'active');
  assert.match(info('two')?.error ?? '', /"same" is already registered/);
});

loading(
  'a hanging `apply` fails after its time and names the service it waits for; what it does later is refused',
  async ({ folders }) => {
    folders.plugin(
      'hangs',
      `export default { async apply({ use }) {
    use('slow').log.push('begun');
    await use('slow').answer();
    try { use('tools').register({ name: 'late', description: '', parameters: {}, execute: () => '' }); }
    catch (error) { use.late = error; }
  } };`,
    );
    folders.plugin('next', toolPlugin('next'));
    let answer = (): void => {};
    const log: string[] = [];
    const slow = {
      log,
      answer: () =>
        new Promise<void>((resolve) => {
          answer = resolve;
        }),
    };
    const tools = new Map<string, unknown>();
    const registry = {
      register(tool: { name: string }) {
        tools.set(tool.name, tool);
        return () => tools.delete(tool.name);
      },
    };
    const { host, info } = folders.host({ applyTimeoutMs: 60, services: { slow, tools: registry } });
    await within(5_000, host.load());
    assert.equal(log, ['begun']);
    assert.is(info('hangs')?.state, 'failed');
    assert.match(info('hangs')?.error ?? '', /within 0\.06 seconds.*waiting for slow\.answer/);
    assert.is(info('next')?.state, 'active');
    answer();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal([...tools.keys()], ['next']);
  },
);

loading('an unknown service fails with a text that says what to do', async ({ folders }) => {
  folders.plugin('asks', `export default { apply({ use }) { use('nowhere'); } };`);
  const { host, info } = folders.host();
  await within(5_000, host.load());
  assert.match(info('asks')?.error ?? '', /no service "nowhere".*"dependencies"/s);
});

loading('close undoes everything, latest plugin first, and aborts the signal', async ({ folders }) => {
  const order: string[] = [];
  for (const name of ['a', 'b'])
    folders.plugin(
      name,
      `export default { apply({ use, onDispose, signal }) {
      const { order } = use('order');
      onDispose(() => { order.push('${name} disposed, aborted: ' + signal.aborted); });
    } };`,
    );
  const { host } = folders.host({ services: { order: { order } } });
  await within(5_000, host.load());
  await within(5_000, host.close());
  await within(5_000, host.close());
  assert.equal(order, ['b disposed, aborted: true', 'a disposed, aborted: true']);
});
loading.run();
