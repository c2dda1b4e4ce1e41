import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { within } from '../helpers/within.ts';
import { type PluginFolders, pluginFolders } from './plugin-folders.ts';

interface Fixture {
  folders: PluginFolders;
}

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
  'without options they are an empty object, also for one called like what every object has',
  async ({ folders }) => {
    folders.plugin('constructor', `export default { apply({ options, use }) { use('seen').seen.push(options); } };`);
    const seen: unknown[] = [];
    await within(5_000, folders.host({ services: { seen: { seen } } }).host.load());
    assert.equal(seen, [{}]);
  },
);

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
    folders.plugin(
      'stricter',
      `export default {
    options: { parse() { throw new Error('At path: apiKey -- Expected a string matching \`/^k/\` but received "sk-secret"'); } },
    apply({ use }) { use('seen').seen.push('applied'); },
  };`,
    );
    const seen: string[] = [];
    const { host, info } = folders.host({ services: { seen: { seen } } });
    await within(5_000, host.load());
    assert.equal(seen, []);
    assert.is(info('strict')?.error, 'Its options are not valid: "apiKey": Expected a string.');
    assert.is(info('stricter')?.error, 'Its options are not valid: "apiKey": Expected a string matching `/^k/`.');
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
