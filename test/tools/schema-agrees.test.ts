import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  array,
  boolean,
  defaulted,
  defineTool,
  enums,
  integer,
  literal,
  max,
  min,
  nonempty,
  nullable,
  number,
  object,
  optional,
  record,
  type Struct,
  size,
  string,
  type ToolContext,
  union,
} from '../../lib/plugin-api/index.ts';
import { createArgumentValidator } from '../../lib/tools/validate-arguments.ts';

const agreement = suite('What the schema accepts is what execute accepts');

interface Sample {
  struct: Struct;
  /** A value that the struct accepts. */
  fitting: unknown;
}

const sample = (struct: unknown, fitting: unknown): Sample => ({ struct: struct as Struct, fitting });
const leaves = [
  sample(string(), 'text'),
  sample(number(), 0.5),
  sample(boolean(), false),
  sample(min(max(integer(), 5), 0), 5),
  sample(size(string(), 1, 2), 'ab'),
  sample(nonempty(string()), 'a'),
  sample(enums(['a', 'b']), 'b'),
  sample(literal(1), 1),
  sample(nullable(string()), null),
  sample(union([string(), number()]), 7),
];

/** Structs of every kind, nested up to three deep, each with a value that fits. */
const samples = fc.letrec<{ any: Sample }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...leaves),
    tie('any').map(({ struct, fitting }) => sample(array(struct), [fitting, fitting])),
    tie('any').map(({ struct, fitting }) => sample(size(array(struct), 0, 1), [fitting])),
    tie('any').map(({ struct, fitting }) => sample(record(string(), struct), { key: fitting })),
    tie('any').map(({ struct, fitting }) => sample(object({ a: struct, b: optional(struct) }), { a: fitting })),
    tie('any').map(({ struct, fitting }) => sample(nullable(struct), fitting)),
  ),
})).any;

const anything = fc.jsonValue({ maxDepth: 4 });

agreement('for any struct and any arguments', async () => {
  const validate = createArgumentValidator();
  await fc.assert(
    fc.asyncProperty(samples, samples, anything, anything, async (first, second, given, other) => {
      const tool = defineTool({
        name: 'tool',
        description: '',
        parameters: { required: first.struct, maybe: optional(second.struct), fixed: defaulted(integer(), 3) },
        execute: ({ fixed }) => `ran with ${fixed}`,
      });
      const check = async (args: Record<string, unknown>): Promise<boolean> => {
        const problem = await validate(tool, args);
        const outcome = await Promise.resolve(tool.execute(args, {} as ToolContext)).catch(() => 'refused');
        const expected = problem === undefined ? 'ran with 3' : 'refused';
        assert.is(outcome, expected, JSON.stringify([tool.parameters, args, problem]));
        return problem === undefined;
      };
      assert.ok(await check({ required: first.fitting }));
      assert.ok(await check({ required: first.fitting, maybe: second.fitting }));
      assert.not.ok(await check({ required: first.fitting, extra: 1 }));
      assert.not.ok(await check({ maybe: second.fitting }));
      await check({ required: given });
      await check({ required: first.fitting, maybe: other });
    }),
    { numRuns: 300 },
  );
});
agreement.run();
