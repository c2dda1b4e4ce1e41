import { nearest } from '../base/nearest.ts';
import { isRecord } from './rules.ts';

export interface UnknownKey {
  key: string;
  suggestion: string | undefined;
}

/** The dotted keys of `values` that the schema does not know, each with the known key that was probably meant. */
export function unknownKeys(values: Record<string, unknown>, schema: { schema: unknown }): UnknownKey[] {
  const known = knownKeys(schema);
  const found: string[] = [];
  collect(values, { fields: schema.schema, prefix: '', found });
  return found.map((key) => ({ key, suggestion: suggest(key, known) }));
}

/** Every dotted key of a schema, sections included. */
function knownKeys(schema: unknown, prefix = ''): string[] {
  const fields = fieldsOf(schema);
  return Object.entries(fields ?? {}).flatMap(([name, field]) => [
    `${prefix}${name}`,
    ...knownKeys(field, `${prefix}${name}.`),
  ]);
}

function collect(
  values: Record<string, unknown>,
  { fields, prefix, found }: { fields: unknown; prefix: string; found: string[] },
): void {
  if (!isRecord(fields)) return;
  for (const [name, value] of Object.entries(values)) {
    if (prefix === '' && name === '$schema') continue;
    const key = `${prefix}${name}`;
    if (!Object.hasOwn(fields, name)) found.push(key);
    else if (isRecord(value)) collect(value, { fields: fieldsOf(fields[name]), prefix: `${key}.`, found });
  }
}

/** The same last word in another section is the likelier slip than a typing error. */
function suggest(key: string, known: string[]): string | undefined {
  const last = key.slice(key.lastIndexOf('.') + 1).toLowerCase();
  const moved = known.find((candidate) => candidate.slice(candidate.lastIndexOf('.') + 1).toLowerCase() === last);
  return moved ?? nearest(key, known, { within: 4 });
}

function fieldsOf(schema: unknown): Record<string, unknown> | undefined {
  return isRecord(schema) && isRecord(schema.schema) ? schema.schema : undefined;
}
