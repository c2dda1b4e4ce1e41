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

/** Structs of every kind, nested up to three deep. */
const structs = fc.letrec<{ leaf: Struct; any: Struct }>((tie) => ({
  leaf: fc.constantFrom<Struct>(
    string() as unknown as Struct,
    number() as unknown as Struct,
    boolean() as unknown as Struct,
    min(max(integer(), 5), 0) as unknown as Struct,
    size(string(), 1, 2) as unknown as Struct,
    nonempty(string()) as unknown as Struct,
    enums(['a', 'b']) as unknown as Struct,
    literal(1) as unknown as Struct,
    nullable(string()) as unknown as Struct,
    union([string(), number()]) as unknown as Struct,
  ),
  any: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    tie('leaf'),
    tie('any').map((inner) => array(inner) as unknown as Struct),
    tie('any').map((inner) => size(array(inner) as unknown as Struct<unknown[]>, 0, 1) as unknown as Struct),
    tie('any').map((inner) => record(string(), inner) as unknown as Struct),
    tie('any').map((inner) => object({ a: inner, b: optional(inner) }) as unknown as Struct),
    tie('any').map((inner) => nullable(inner) as unknown as Struct),
  ),
})).any;

const values = fc
  .jsonValue({ maxDepth: 4 })
  .chain((value) => fc.constantFrom(value, { a: value }, [value], 'a', 1, 0.5, null, { a: 'a', b: 1 }));

agreement('for any struct and any arguments', async () => {
  const validate = createArgumentValidator();
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(structs, structs, values, values, async (required, inner, given, other) => {
      const tool = defineTool({
        name: 'tool',
        description: '',
        parameters: { required, maybe: optional(inner), fixed: defaulted(integer(), 3) },
        execute: ({ fixed }) => `ran with ${fixed}`,
      });
      for (const args of [
        { required: given },
        { required: given, maybe: other },
        { maybe: given },
        { required: given, extra: 1 },
      ]) {
        const problem = await validate(tool, args);
        if (problem === undefined) accepted += 1;
        const outcome = await Promise.resolve(tool.execute(args, {} as ToolContext)).catch(() => 'refused');
        assert.is(
          problem === undefined ? 'ran with 3' : 'refused',
          outcome,
          JSON.stringify([tool.parameters, args, problem]),
        );
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(accepted > 20, `only ${accepted} were accepted: the test says little`);
});
agreement.run();
