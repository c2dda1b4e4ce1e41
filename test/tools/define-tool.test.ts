import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  array,
  boolean,
  defaulted,
  defineTool,
  enums,
  field,
  integer,
  literal,
  max,
  min,
  nonempty,
  nullable,
  number,
  object,
  optional,
  pattern,
  record,
  size,
  string,
  type ToolContext,
  type ToolFields,
  union,
} from '../../lib/plugin-api/index.ts';
import { createArgumentValidator } from '../../lib/tools/validate-arguments.ts';

const context = {} as ToolContext;

/** What the model reads of a field. */
function schemaOf(field: ToolFields[string]): unknown {
  const tool = defineTool({ name: 'any', description: '', parameters: { field }, execute: () => '' });
  return (tool.parameters.properties as { field: unknown }).field;
}

const schemas = suite('A struct becomes the JSON Schema that the model reads');

schemas('every kind of field', () => {
  assert.equal(schemaOf(string()), { type: 'string' });
  assert.equal(schemaOf(integer()), { type: 'integer' });
  assert.equal(schemaOf(boolean()), { type: 'boolean' });
  assert.equal(schemaOf(enums(['a', 'b'])), { type: 'string', enum: ['a', 'b'] });
  assert.equal(schemaOf(literal('x')), { const: 'x' });
  assert.equal(schemaOf(array(string())), { type: 'array', items: { type: 'string' } });
  assert.equal(schemaOf(record(string(), number())), { type: 'object', additionalProperties: { type: 'number' } });
  assert.equal(schemaOf(union([string(), number()])), { anyOf: [{ type: 'string' }, { type: 'number' }] });
  assert.equal(schemaOf(nullable(string())), { type: ['string', 'null'] });
  const choice = { type: 'string', enum: ['a'] };
  assert.equal(schemaOf(nullable(enums(['a']))), { anyOf: [choice, { type: 'null' }] });
});

schemas('refinements and descriptions survive in any order', () => {
  const expected = { type: 'integer', minimum: 1, maximum: 9, description: 'How many' };
  assert.equal(schemaOf(field(min(max(integer(), 9), 1), 'How many')), expected);
  assert.equal(schemaOf(optional(min(max(field(integer(), 'How many'), 9), 1))), expected);
  assert.equal(schemaOf(size(array(string()), 1, 3)), {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 3,
  });
  assert.equal(schemaOf(pattern(nonempty(string()), /^a/)), { type: 'string', minLength: 1, pattern: '^a' });
});

schemas('an expression with flags, which JSON Schema has no place for, is left to the struct', async () => {
  assert.equal(schemaOf(pattern(string(), /^a$/u)), { type: 'string', pattern: '^a$' });
  assert.equal(schemaOf(pattern(string(), /^a$/i)), { type: 'string' });
  const parameters = { field: pattern(string(), /^a$/i) };
  const tool = defineTool({ name: 'any', description: '', parameters, execute: ({ field }) => field });
  assert.is(await createArgumentValidator()(tool, { field: 'A' }), undefined);
  assert.is(await tool.execute({ field: 'A' }, context), 'A');
});

schemas('required, optional and defaulted fields of nested objects', () => {
  const struct = object({
    a: string(),
    b: optional(number()),
    c: defaulted(boolean(), true),
    d: object({ e: string() }),
  });
  assert.equal(schemaOf(struct), {
    type: 'object',
    properties: {
      a: { type: 'string' },
      b: { type: 'number' },
      c: { type: 'boolean', default: true },
      d: { type: 'object', properties: { e: { type: 'string' } }, required: ['e'], additionalProperties: false },
    },
    required: ['a', 'd'],
    additionalProperties: false,
  });
});
schemas.run();

const tools = suite('defineTool types, checks and completes the arguments');

const repeat = defineTool({
  name: 'repeat',
  description: 'Repeats a word.',
  permission: 'ask',
  parameters: {
    word: field(string(), 'The word'),
    times: field(defaulted(min(integer(), 1), 2), 'How often'),
    separator: optional(string()),
  },
  describe: ({ word, times }) => `Say ${word} ${times} times`,
  // The types are part of the test: `times` is a number, `separator` may be undefined.
  execute: ({ word, times, separator }) => Array.from({ length: times }, () => word.trim()).join(separator ?? ' '),
});

tools('defaults are filled in for execute and describe', async () => {
  assert.is(await repeat.execute({ word: 'ha' }, context), 'ha ha');
  assert.is(await repeat.execute({ word: 'ha', times: 3, separator: '-' }, context), 'ha-ha-ha');
  assert.is(repeat.describe?.({ word: 'ha' }), 'Say ha 2 times');
});

tools('the schema agrees with the struct', async () => {
  const validate = createArgumentValidator();
  assert.is(await validate(repeat, { word: 'ha' }), undefined);
  assert.ok(await validate(repeat, { word: 'ha', times: 0 }));
  assert.ok(await validate(repeat, { times: 1 }));
});

tools('what only the struct refuses rejects', async () => {
  let message = '';
  await Promise.resolve(repeat.execute({ word: 5 }, context)).catch((error: Error) => {
    message = error.message;
  });
  assert.match(message, /word/);
});
tools.run();
