import type { JsonSchema } from '../wire/tool.ts';
import { notesOf, type StructLike } from './fields.ts';

/**
 * The JSON Schema (2020-12) of an object with these fields. Defaults become `default`, fields without one and not
 * optional are `required`, and unknown properties are refused: a mistyped name is told to the model, not ignored.
 */
export function objectSchema(fields: Readonly<Record<string, StructLike>>, open = false): JsonSchema {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [name, struct] of Object.entries(fields)) {
    const whenAbsent = createAbsent(struct);
    if (whenAbsent === undefined) required.push(name);
    const fallback = whenAbsent?.value;
    properties[name] = { ...toJsonSchema(struct), ...(fallback === undefined ? {} : { default: fallback }) };
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 ? { required } : {}),
    ...(open ? {} : { additionalProperties: false }),
  };
}

/** The JSON Schema of a struct. Throws for a struct that JSON can't carry (functions, dates, maps). */
function toJsonSchema(struct: StructLike): JsonSchema {
  const { nullable, anyOf, items, ...keywords } = notesOf(struct);
  const schema = { ...baseSchema(struct, { anyOf, items }), ...keywords };
  if (nullable !== true) return schema;
  const typeDecides = 'type' in schema && !('enum' in schema);
  return typeDecides ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, { type: 'null' }] };
}

function baseSchema(
  { type, schema }: StructLike,
  notes: { anyOf?: readonly StructLike[]; items?: StructLike },
): JsonSchema {
  switch (type) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return { type };
    case 'any':
    case 'unknown':
      return {};
    case 'enums':
      return enumSchema(Object.values(schema as Record<string, string | number>));
    case 'literal':
      return { const: schema };
    case 'array':
      return schema === undefined ? { type } : { type, items: toJsonSchema(schema as StructLike) };
    case 'record':
      return { type: 'object', additionalProperties: notes.items === undefined ? true : toJsonSchema(notes.items) };
    case 'union':
      return notes.anyOf === undefined ? {} : { anyOf: notes.anyOf.map(toJsonSchema) };
    case 'object':
    case 'type':
      if (schema === null) return { type: 'object' };
      return objectSchema(schema as Record<string, StructLike>, type === 'type');
    default:
      throw new Error(`A field of type "${type}" can't be described as JSON Schema.`);
  }
}

function enumSchema(values: (string | number)[]): JsonSchema {
  const types = new Set(values.map((value) => typeof value));
  return { ...(types.size === 1 ? { type: [...types][0] } : {}), enum: values };
}

/** What the field becomes when it is left out; undefined when that is not allowed. */
function createAbsent(struct: StructLike): { value: unknown } | undefined {
  try {
    return { value: struct.create(undefined) };
  } catch {
    return undefined;
  }
}
