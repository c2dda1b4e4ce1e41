/** A copy of a schema that is safe to evaluate. `costly` when only a time limit can bound its evaluation. */
export interface TamedSchema {
  schema: Record<string, unknown>;
  costly: boolean;
}

const deepest = 64;
const largest = 20_000;
/** A schema of more parts is dear in itself, however small the values. */
const small = 1_000;

/** Keywords that hold a map of schemas, one schema or a list of them, or plain data. */
const schemaMaps = new Set(['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas']);
const plainData = new Set(['const', 'enum', 'default', 'examples', 'required', 'dependentRequired', 'type']);
/** Their cost is not that of looking at each value once: `uniqueItems` compares every item with every other. */
const dear = new Set(['$ref', '$recursiveRef', '$dynamicRef', 'uniqueItems']);

/**
 * Copies a schema, at most 64 levels and 20,000 values of it, without what must not decide over a call: `format` (an
 * annotation by the standard, and each draft's own idea of it) and patterns that are no regular expression here.
 * Throws when the schema is too deep or too large.
 */
export function tameSchema(source: Readonly<Record<string, unknown>>): TamedSchema {
  let left = largest;
  let costly = false;
  const schema = copySchema(source, 0);
  return { schema, costly: costly || largest - left > small };

  function copySchema(schema: Readonly<Record<string, unknown>>, depth: number): Record<string, unknown> {
    enter(depth);
    const copy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'format' || keyword === '__proto__') continue;
      if (dear.has(keyword)) costly = true;
      if (keyword === 'pattern') {
        if (!isExpression(value)) continue;
        costly = true;
      }
      if (schemaMaps.has(keyword) && isObject(value)) copy[keyword] = copyMap(keyword, value, depth + 1);
      else copy[keyword] = plainData.has(keyword) ? copyData(value, depth + 1) : copyKeyword(value, depth + 1);
    }
    return copy;
  }

  function copyMap(keyword: string, map: Record<string, unknown>, depth: number): Record<string, unknown> {
    enter(depth);
    if (keyword === 'patternProperties') costly = true;
    const entries = Object.entries(map).filter(([name]) => keyword !== 'patternProperties' || isExpression(name));
    return Object.fromEntries(entries.map(([name, value]) => [name, copyKeyword(value, depth + 1)]));
  }

  function copyKeyword(value: unknown, depth: number): unknown {
    if (isObject(value)) return copySchema(value, depth);
    enter(depth);
    return Array.isArray(value) ? value.map((item) => copyKeyword(item, depth + 1)) : value;
  }

  function copyData(value: unknown, depth: number): unknown {
    enter(depth);
    if (Array.isArray(value)) return value.map((item) => copyData(item, depth + 1));
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyData(item, depth + 1)]));
  }

  function enter(depth: number): void {
    left -= 1;
    if (depth > deepest) throw new Error(`it is nested over ${deepest} levels deep`);
    if (left < 0) throw new Error(`it has over ${largest} parts`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isExpression(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}
