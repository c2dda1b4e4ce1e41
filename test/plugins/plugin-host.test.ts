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

const options = suite<Fixture>('Options are parsed before `apply`');
options.before.each((fixture) => {
  fixture.folders = pluginFolders();
});
options.after.each((fixture) => fixture.folders.close());

options('anything with `parse` or `create` works, and `apply` gets its result', async ({ folders }) => {
  const module = (method: string) => `export default {
    options: { ${method}: (value) => ({ word: 'none', ...value }) },
    apply({ options, use, plugin }) { use('seen').seen.push(plugin.id + ':' + options.word); },
  };`;
  folders.plugin('a', module('parse'));
  folders.plugin('b', module('create'));
  const seen: string[] = [];
  const { host } = folders.host({ plugins: { config: { a: { word: 'set' } } }, services: { seen: { seen } } });
  await within(5_000, host.load());
  assert.equal(seen, ['a:set', 'b:none']);
});

options(
  'a refused value fails the plugin before `apply`, and the text does not repeat the value',
  async ({ folders }) => {
    folders.plugin(
      'strict',
      `export default {
    options: { parse() { throw new Error('At path: apiKey -- Expected a string, but received: "sk-secret"'); } },
    apply({ use }) { use('seen').seen.push('applied'); },
  };`,
    );
    const seen: string[] = [];
    const { host, info } = folders.host({ services: { seen: { seen } } });
    await within(5_000, host.load());
    assert.equal(seen, []);
    assert.is(info('strict')?.error, 'Its options are not valid: "apiKey": Expected a string.');
  },
);
options(
  'an unknown option of a struct is a warning; an unknown field inside of an option is an error',
  async ({ folders }) => {
    const bundled = { bundledDirectory: 'dist/plugins' };
    const config = { quota: { default: { maxTokens: 1 }, colour: 'red' } };
    const services = { 'tenant.usage': {}, 'session.guards': { register() {} }, 'http.routes': { register() {} } };
    const warned = folders.host({ ...bundled, services, plugins: { allow: ['quota'], config } });
    await within(5_000, warned.host.load());
    assert.is(warned.info('quota')?.state, 'active');
    assert.ok(warned.log.some(({ message }) => message.includes('"colour" is not known')));
    const mistyped = folders.host({
      ...bundled,
      services,
      plugins: { allow: ['quota'], config: { quota: { default: { maxToken: 1 } } } },
    });
    await within(5_000, mistyped.host.load());
    assert.is(mistyped.info('quota')?.error, 'Its options are not valid: "default.maxToken": there is no such option.');
  },
);
options.run();

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
