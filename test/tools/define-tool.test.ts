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
  union,
} from '../../lib/plugin-api/index.ts';
import { toJsonSchema } from '../../lib/tools/json-schema.ts';
import { createArgumentValidator } from '../../lib/tools/validate-arguments.ts';

const schemas = suite('A struct becomes the JSON Schema that the model reads');

schemas('every kind of field', () => {
  assert.equal(toJsonSchema(string()), { type: 'string' });
  assert.equal(toJsonSchema(integer()), { type: 'integer' });
  assert.equal(toJsonSchema(boolean()), { type: 'boolean' });
  assert.equal(toJsonSchema(enums(['a', 'b'])), { type: 'string', enum: ['a', 'b'] });
  assert.equal(toJsonSchema(literal('x')), { const: 'x' });
  assert.equal(toJsonSchema(array(string())), { type: 'array', items: { type: 'string' } });
  assert.equal(toJsonSchema(record(string(), number())), { type: 'object', additionalProperties: { type: 'number' } });
  assert.equal(toJsonSchema(union([string(), number()])), { anyOf: [{ type: 'string' }, { type: 'number' }] });
  assert.equal(toJsonSchema(nullable(string())), { type: ['string', 'null'] });
  const choice = { type: 'string', enum: ['a'] };
  assert.equal(toJsonSchema(nullable(enums(['a']))), { anyOf: [choice, { type: 'null' }] });
});

schemas('refinements and descriptions survive in any order', () => {
  const expected = { type: 'integer', minimum: 1, maximum: 9, description: 'How many' };
  assert.equal(toJsonSchema(field(min(max(integer(), 9), 1), 'How many')), expected);
  assert.equal(toJsonSchema(optional(min(max(field(integer(), 'How many'), 9), 1))), expected);
  assert.equal(toJsonSchema(size(array(string()), 1, 3)), {
    type: 'array',
    items: { type: 'string' },
    minItems: 1,
    maxItems: 3,
  });
  assert.equal(toJsonSchema(pattern(nonempty(string()), /^a/)), { type: 'string', minLength: 1, pattern: '^a' });
});

schemas('required, optional and defaulted fields of nested objects', () => {
  const struct = object({
    a: string(),
    b: optional(number()),
    c: defaulted(boolean(), true),
    d: object({ e: string() }),
  });
  assert.equal(toJsonSchema(struct), {
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
const context = {} as ToolContext;

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
