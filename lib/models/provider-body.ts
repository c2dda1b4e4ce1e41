import type { JsonRecord } from './provider-json.ts';

/**
 * JSON text of a list, made once for every list: tools are the larger part of most requests and nearly always the same.
 * The list must not change.
 */
export function createListEncoder<Item>(encode: (item: Item) => unknown): (items: readonly Item[]) => string {
  const texts = new WeakMap<readonly Item[], string>();
  return (items) => {
    const known = texts.get(items);
    if (known !== undefined) return known;
    const text = JSON.stringify(items.map(encode));
    texts.set(items, text);
    return text;
  };
}

/** An object as JSON text. `encoded` are members whose values are JSON text already; a field of the same name beats them. */
export function objectText(fields: JsonRecord, encoded: Readonly<Record<string, string>>): string {
  const added = Object.entries(encoded).filter(([name]) => !Object.hasOwn(fields, name));
  const text = JSON.stringify(fields);
  if (added.length === 0) return text;
  const members = added.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',');
  return text === '{}' ? `{${members}}` : `${text.slice(0, -1)},${members}}`;
}
