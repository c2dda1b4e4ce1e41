import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Options as ChatOptions, endpointsOf } from '../../plugins/chat-completions/options.ts';
import { endpointOf, Options as MessagesOptions } from '../../plugins/messages-api/options.ts';

const test = suite('A request to a provider');

test('keeps the key of the environment away from servers that the environment did not name', () => {
  const env = { OPENAI_API_KEY: 'env-key', ANTHROPIC_API_KEY: 'env-key', MINE: 'my-key' };
  const keys = (options: object) => [
    endpointsOf(ChatOptions.create(options), env)[0]?.key,
    endpointOf(MessagesOptions.create(options), env)?.key,
  ];
  assert.equal(keys({ baseUrl: 'http://elsewhere.test/v1', model: 'm' }), [undefined, undefined]);
  assert.equal(keys({ baseUrl: 'http://elsewhere.test/v1', apiKeyEnv: 'MINE' }), ['my-key', 'my-key']);
  assert.equal(keys({ model: 'm' }), ['env-key', 'env-key']);
  assert.equal(keys({ model: 'm', apiKey: 'given' }), ['given', 'given']);
});

test('goes where the environment says when nothing is configured, and nowhere without it', () => {
  const none = ChatOptions.create({});
  assert.equal(endpointsOf(none, {}), []);
  assert.is(endpointsOf(none, { OPENAI_API_KEY: 'k' })[0]?.baseUrl, 'https://api.openai.com/v1');
  const local = endpointsOf(none, { OPENAI_BASE_URL: 'http://localhost:1234/v1' })[0];
  assert.equal([local?.baseUrl, local?.key], ['http://localhost:1234/v1', undefined]);
  assert.is(endpointOf(MessagesOptions.create({}), {}), undefined);
  const official = endpointOf(MessagesOptions.create({}), { ANTHROPIC_API_KEY: 'k' });
  assert.equal([official?.baseUrl, official?.version], ['https://api.anthropic.com/v1', '2023-06-01']);
});

test('goes to the same messages API with or without the version in its address', () => {
  const url = (baseUrl: string) => endpointOf(MessagesOptions.create({ baseUrl }), {})?.baseUrl;
  assert.is(url('http://host.test'), 'http://host.test/v1');
  assert.is(url('http://host.test/v1/'), 'http://host.test/v1');
  assert.is(url('http://host.test/anthropic'), 'http://host.test/anthropic/v1');
});

test('goes to several chat completions endpoints when several are configured', () => {
  const options = ChatOptions.create({
    baseUrl: 'http://a.test',
    endpoints: [{ baseUrl: 'http://b.test', timeoutMs: 5, model: 'x' }],
  });
  assert.equal(
    endpointsOf(options, {}).map(({ baseUrl, timeoutMs }) => [baseUrl, timeoutMs]),
    [
      ['http://a.test', 180_000],
      ['http://b.test', 5],
    ],
  );
});

test.run();
