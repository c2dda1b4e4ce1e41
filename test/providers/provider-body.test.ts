import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createListEncoder, objectBytes } from '../../lib/models/provider-body.ts';
import { createToolRegistry } from '../../lib/tools/registry.ts';
import { chat, tool } from './request-kit.ts';

const test = suite('What is the same in every request of a model is encoded once');

const textOf = (bytes: Uint8Array) => Buffer.from(bytes).toString();

test('the JSON of a list is made once for each list', () => {
  let encoded = 0;
  const encode = createListEncoder(({ name }: { name: string }) => ({ name, at: ++encoded }));
  const list = [{ name: 'a' }, { name: 'b' }];
  assert.is(textOf(encode(list)), '[{"name":"a","at":1},{"name":"b","at":2}]');
  assert.is(encode(list), encode(list));
  assert.is(textOf(encode([...list])), '[{"name":"a","at":3},{"name":"b","at":4}]');
});

test('what is JSON already joins an object, unless a field has its name', () => {
  const json = (text: string) => Buffer.from(text);
  const joined = (...given: Parameters<typeof objectBytes>) => textOf(objectBytes(...given));
  assert.is(joined({}, { tools: json('[1]') }), '{"tools":[1]}');
  assert.is(joined({ a: 'ä"' }, { tools: json('["ö"]'), 'x"y': json('{}') }), '{"a":"ä\\"","tools":["ö"],"x\\"y":{}}');
  assert.is(joined({ tools: null }, { tools: json('[1]') }), '{"tools":null}');
  assert.is(joined({ a: 1 }, {}), '{"a":1}');
});

test('the schemas of tools are the same list until a tool comes or goes', () => {
  const registry = createToolRegistry();
  const execute = () => 'done';
  const remove = registry.register({ ...tool, execute });
  const schemas = registry.schemas();
  assert.is(registry.schemas(), schemas);
  registry.register({ ...tool, name: 'second', execute });
  assert.is(registry.schemas().length, 2);
  remove();
  assert.equal(
    registry.schemas().map(({ name }) => name),
    ['second'],
  );
});

test('extraBody may name other tools', () => {
  assert.equal(chat([], { extraBody: { tools: [] } }).tools, []);
  assert.is(chat([]).tools.length, 1);
});

test.run();
