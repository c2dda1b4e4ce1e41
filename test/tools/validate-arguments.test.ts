import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createArgumentValidator } from '../../lib/tools/validate-arguments.ts';

const check = (parameters: Record<string, unknown>, args: unknown): Promise<string | undefined> =>
  createArgumentValidator()({ name: 'tool', parameters }, args);

const messages = suite('Arguments are checked against the schema, and the model is told the first thing that is wrong');

const file = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['text', 'bytes'] },
    lines: { type: 'array', items: { type: 'object', properties: { at: { type: 'integer', minimum: 1 } } } },
  },
  required: ['path'],
  additionalProperties: false,
};

messages('nothing is wrong with what fits', async () => {
  assert.is(await check(file, { path: 'a', mode: 'text', lines: [{ at: 1 }] }), undefined);
});

messages('each message says where and which rule', async () => {
  assert.is(await check(file, {}), 'arguments: The value does not have required property "path".');
  assert.is(await check(file, { path: 1 }), 'path: type "number" is invalid. Expected "string".');
  assert.is(await check(file, { path: '' }), 'path: String is too short (0 < 1).');
  assert.is(await check(file, { path: 'a', mode: 'x' }), 'mode: The value does not match any of ["text","bytes"].');
  assert.is(await check(file, { path: 'a', lines: [{ at: 1 }, { at: 0 }] }), 'lines[1].at: 0 is less than 1.');
  assert.is(await check(file, { path: 'a', pth: 'b' }), 'arguments: there is no property "pth" here.');
});

messages('anything but an object is refused', async () => {
  for (const args of [null, [], 'text', 5]) assert.match((await check(file, args)) ?? '', /must be a JSON object/);
});

messages('a field that is named like a keyword is a field', async () => {
  const schema = { type: 'object', properties: { format: { type: 'string' }, pattern: { type: 'number' } } };
  assert.is(await check(schema, { format: 'x', pattern: 1 }), undefined);
  assert.match((await check(schema, { pattern: 'x' })) ?? '', /^pattern: type "string" is invalid/);
});

messages('the draft follows $schema', async () => {
  const tuple = { type: 'object', properties: { pair: { items: [{ type: 'string' }], additionalItems: false } } };
  const draft7 = { ...tuple, $schema: 'http://json-schema.org/draft-07/schema#' };
  assert.match((await check(draft7, { pair: ['a', 'b'] })) ?? '', /^pair/);
  const newest = { type: 'object', properties: { pair: { prefixItems: [{ type: 'string' }], items: false } } };
  assert.match((await check(newest, { pair: ['a', 'b'] })) ?? '', /^pair/);
});

messages('one schema is compiled once and checks every call alike', async () => {
  const validate = createArgumentValidator();
  const tool = { name: 'tool', parameters: file };
  assert.is(await validate(tool, { path: 'a' }), undefined);
  assert.ok(await validate(tool, {}));
  assert.is(await validate(tool, { path: 'a' }), undefined);
});
messages.run();

const hostile = suite('A hostile schema can neither hold the process nor let unchecked arguments pass');

hostile('a catastrophic regular expression ends with a refusal', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a|a)*$' } } };
  assert.match((await check(schema, { a: `${'a'.repeat(60)}!` })) ?? '', /could not be checked.*it took over/);
  assert.is(await check(schema, { a: 'aaa' }), undefined);
});

hostile('so does a schema whose cost is the product of its size and that of the arguments', async () => {
  const dear = {
    unique: [{ type: 'array', uniqueItems: true }, Array.from({ length: 8_000 }, (_, at) => ({ at }))],
    listed: [{ items: { enum: Array.from({ length: 900 }, (_, at) => `x${at}`) } }, new Array(300_000).fill('x899')],
    // Every choice looks at all items before the last one refuses it.
    choice: [{ anyOf: Array.from({ length: 6_000 }, () => ({ items: { type: 'string' } })) }, [...'x'.repeat(900), 1]],
  } as const;
  for (const [name, [property, value]] of Object.entries(dear)) {
    const problem = await check({ type: 'object', properties: { a: property } }, { a: value });
    assert.match(problem ?? '', /could not be checked.*it took over/, name);
  }
});

hostile('so does one in patternProperties', async () => {
  const schema = { type: 'object', patternProperties: { '^(a|a)*$': { type: 'string' } } };
  assert.match((await check(schema, { [`${'a'.repeat(60)}!`]: 1 })) ?? '', /could not be checked/);
});

hostile('references that double at every step end with a refusal', async () => {
  const $defs: Record<string, unknown> = { d0: { type: 'string', minLength: 1 } };
  for (let at = 1; at <= 40; at++)
    $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] };
  const schema = { type: 'object', properties: { a: { $ref: '#/$defs/d40' } }, $defs };
  assert.match((await check(schema, { a: 'x' })) ?? '', /could not be checked/);
});

hostile('a schema that refers to itself without end is a refusal, one that ends with the arguments works', async () => {
  assert.match((await check({ allOf: [{ $ref: '#' }] }, {})) ?? '', /could not be checked/);
  const tree = { type: 'object', properties: { child: { $ref: '#' }, name: { type: 'string' } } };
  assert.is(await check(tree, { child: { child: { name: 'leaf' } } }), undefined);
  assert.match((await check(tree, { child: { child: { name: 1 } } })) ?? '', /^child\.child\.name/);
});

hostile('too deep, too large or unresolvable is a refusal that names the schema', async () => {
  let deep: Record<string, unknown> = {};
  for (let at = 0; at < 100; at++) deep = { properties: { a: deep } };
  assert.match((await check(deep, {})) ?? '', /schema is unusable .*levels deep/);
  const large = { enum: Array.from({ length: 30_000 }, (_, at) => at) };
  assert.match((await check({ type: 'object', properties: { a: large } }, {})) ?? '', /unusable .*parts/);
  assert.match((await check({ $ref: 'https://elsewhere.example/schema' }, {})) ?? '', /could not be checked/);
});

hostile('a pattern that is no regular expression here, and `format`, decide nothing', async () => {
  const schema = { type: 'object', properties: { a: { pattern: '[\\w-.]+' }, b: { format: 'email' } } };
  assert.is(await check(schema, { a: '', b: 'no address' }), undefined);
});

hostile('prototype names in schema and arguments are only names', async () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
  );
  assert.is(await check(schema, { constructor: 'x' }), undefined);
  assert.is(({} as Record<string, unknown>).polluted, undefined);
});
hostile.run();
