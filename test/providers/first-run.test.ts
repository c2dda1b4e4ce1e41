import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { registerModels } from '../../lib/models/provider-models.ts';
import { createModelRegistry } from '../../lib/models/registry.ts';
import type { Plugin } from '../../lib/plugin-api/define-plugin.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { callModel, loadProvider, rejection } from './provider-kit.ts';

const test = suite('Without any options, a provider plugin');
const names = ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'];

test.before.each(clearEnvironment);
test.after.each(clearEnvironment);

test('registers nothing, contacts nobody and does not complain when the environment says nothing', async () => {
  for (const load of [() => loadProvider(chatCompletions, {}), () => loadProvider(messagesApi, {})]) {
    const provider = await within(1_000, load());
    assert.equal([provider.models, provider.warnings], [[], []]);
  }
});

const cases: [string, Plugin<never>, string, string][] = [
  ['chat completions', chatCompletions as Plugin<never>, 'OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  ['the messages API', messagesApi as Plugin<never>, 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
];
for (const [what, plugin, keyName, urlName] of cases)
  test(`offers the models of the ${what} server that ${keyName} and ${urlName} describe`, async () => {
    const server = await startScriptedModel({
      models: ['one', 'two'],
      apiKey: 'from-env',
      replies: [[{ text: 'Hi' }]],
    });
    process.env[keyName] = 'from-env';
    process.env[urlName] = server.url;
    const provider = await within(5_000, loadProvider(plugin, {}));
    try {
      assert.equal(provider.warnings, []);
      assert.equal(
        provider.models.map(({ info }) => info.id),
        ['one', 'two'],
      );
      assert.is((await within(5_000, callModel(provider.model))).completion.content, 'Hi');
    } finally {
      await provider.dispose();
      await server.close();
    }
  });

test('warns about options that do not exist, and about values it cannot use', async () => {
  const provider = await loadProvider(chatCompletions, { model: 'm', baseURL: 'http://typo.test' });
  assert.match(provider.warnings.join(), '"baseURL" is not known');
  await provider.dispose();
  for (const wrong of [
    { timeoutMs: 0 },
    { temperature: 'hot' },
    { models: 'a' },
    { models: [{ label: 'no id' }] },
    { headers: { a: 1 } },
    { endpoints: [{ baseURL: 'http://typo.test' }] },
  ])
    assert.match((await rejection(loadProvider(chatCompletions, wrong))).message, /^Its options are not valid: "/);
  const tooLittle = await rejection(loadProvider(messagesApi, { thinkingBudget: 0 }));
  assert.match(tooLittle.message, /^Its options are not valid: "thinkingBudget"/);
});

test('leaves a listed model out whose id is taken, and refuses a configured one', () => {
  const registry = createModelRegistry(undefined);
  const create = ({ id }: { id: string }) => ({
    info: { id, provider: 'p', supportsTools: true },
    complete: () => Promise.reject(new Error('not called')),
  });
  registerModels(registry, { entries: [{ id: 'a' }], isListed: false }, create);
  registerModels(registry, { entries: [{ id: 'a' }, { id: 'b' }], isListed: true }, create);
  assert.equal(
    registry.list().map(({ id }) => id),
    ['a', 'b'],
  );
  assert.throws(
    () => registerModels(registry, { entries: [{ id: 'b' }], isListed: false }, create),
    /already registered/,
  );
});

test.run();

function clearEnvironment(): void {
  for (const name of names) delete process.env[name];
}
