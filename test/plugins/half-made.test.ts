import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scriptedModel } from '../helpers/scripted-model.ts';
import { createTestApp } from '../helpers/test-app.ts';
import { withSession } from '../helpers/with-app.ts';
import { within } from '../helpers/within.ts';
import { pluginFolders } from './plugin-folders.ts';

const test = suite('A plugin that registers half of a thing has failed, and says which half is missing');

const tool = (fields: string): string => `use('tools').register({ name: 'roll', ${fields} })`;
const whole = `description: 'Rolls.', parameters: { type: 'object' }, execute: () => '6'`;

const cases: Record<string, [code: string, problem: RegExp]> = {
  nameless: [`use('tools').register({ ${whole} })`, /"undefined" is no tool name/],
  idle: [tool(`description: 'Rolls.', parameters: { type: 'object' }`), /The tool "roll" has no `execute` function\./],
  untold: [tool(`parameters: { type: 'object' }, execute: () => '6'`), /The tool "roll" has no `description`/],
  shapeless: [tool(`description: 'Rolls.', execute: () => '6'`), /The tool "roll" has no `parameters`/],
  careless: [tool(`${whole}, permission: 'Ask'`), /The tool "roll": `permission` must be "auto" or "ask"\./],
  mute: [`use('models').register({ info: { id: 'm', provider: 'p' } })`, /The model "m" has no `complete` function\./],
  unknown: [`use('models').register({ complete() {} })`, /A model needs an `info` with an `id`\./],
  open: [`use('session.guards').register({ check() {} })`, /A guard must be a function\./],
  blank: [`use('session.prompts').register('Be brief.')`, /A prompt source must be a function\./],
  deaf: [`use('events').subscribe({})`, /A subscriber must be a function\./],
};

test('what is missing is told, and nobody else notices', async () => {
  const folders = pluginFolders();
  for (const [name, [code]] of Object.entries(cases))
    folders.plugin(name, `export default { apply({ use }) { ${code}; } };`);
  folders.plugin('fine', `export default { apply({ use }) { ${tool(`${whole}, permission: 'ask'`)}; } };`);
  const app = await createTestApp({ settings: { plugins: { directories: [`${folders.root}/plugins`] } } });
  try {
    await within(
      10_000,
      (async () => {
        const { plugins } = await app.call<{ plugins: { id: string; state: string; error?: string }[] }>(
          'GET',
          '/api/plugins',
          {},
        );
        for (const [name, [, problem]] of Object.entries(cases)) {
          const { state, error = '' } = plugins.find(({ id }) => id === name) ?? { state: 'not found' };
          assert.is(state, 'failed', name);
          assert.match(error, problem, name);
        }
        assert.is(plugins.find(({ id }) => id === 'fine')?.state, 'active');
        await app.newSession();
      })(),
    );
  } finally {
    await app.close();
    await folders.close();
  }
});

test('a subscriber that throws is told once, and disturbs no run', async () => {
  const folders = pluginFolders();
  const code = `use('events').subscribe(({ type }) => { throw new Error('not ready for ' + type); })`;
  folders.plugin('clumsy', `export default { apply({ use }) { ${code}; } };`);
  const settings = { plugins: { directories: [`${folders.root}/plugins`] } };
  try {
    await withSession({ models: [scriptedModel([{ content: 'hi' }])], settings }, async (app, { send, until }) => {
      await send('Go');
      await until('run.finished');
      const told = app.lines.filter((line) => line.includes('not ready for'));
      assert.is(told.length, 1);
      assert.match(told[0] ?? '', /WARN .*A subscriber threw.* plugin=clumsy error="not ready for /);
    });
  } finally {
    await folders.close();
  }
});

test('one that imports the package where there is none is told where it belongs', async () => {
  const folders = pluginFolders();
  try {
    folders.plugin(
      'far',
      `import { definePlugin } from 'agent-session-service/plugin'; export default definePlugin({});`,
    );
    folders.plugin('lost', `import 'no-such-package'; export default { apply() {} };`);
    const { host, info } = folders.host();
    await within(10_000, host.load());
    assert.match(info('far')?.error ?? '', /Cannot find package .* Install it in the plugin's folder or one above/);
    assert.match(info('lost')?.error ?? '', /^Cannot find package 'no-such-package' imported from \S+$/);
  } finally {
    await folders.close();
  }
});

test.run();
