import type { JsonRecord } from './provider-json.ts';

/**
 * UTF-8 JSON of a list, made once for every list: tools are the larger part of most requests and nearly always the same.
 * The list must not change.
 */
export function createListEncoder<Item>(encode: (item: Item) => unknown): (items: readonly Item[]) => Uint8Array {
  const known = new WeakMap<readonly Item[], Uint8Array>();
  return (items) => {
    const bytes = known.get(items) ?? utf8(JSON.stringify(items.map(encode)));
    known.set(items, bytes);
    return bytes;
  };
}

/** An object as UTF-8 JSON. `encoded` are members whose values are that already; a field of the same name beats them. */
export function objectBytes(fields: JsonRecord, encoded: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const added = Object.entries(encoded).filter(([name]) => !Object.hasOwn(fields, name));
  const whole = utf8(JSON.stringify(fields));
  if (added.length === 0) return whole;
  const first = whole.byteLength > 2 ? ',' : '';
  const members = added.flatMap(([name, value], index) => [
    utf8(`${index === 0 ? first : ','}${JSON.stringify(name)}:`),
    value,
  ]);
  return Buffer.concat([whole.subarray(0, -1), ...members, utf8('}')]);
}

function utf8(text: string): Uint8Array {
  return Buffer.from(text);
}
