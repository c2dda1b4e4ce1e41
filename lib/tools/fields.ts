import * as struct from 'superstruct';

/** As much of a superstruct struct as is needed here, of whatever type. */
export interface StructLike {
  readonly TYPE: unknown;
  readonly type: string;
  readonly schema: unknown;
  create(value: unknown): unknown;
}

/** JSON Schema keywords that a struct alone does not reveal; `nullable` and `anyOf` are resolved by the conversion. */
export interface Notes {
  readonly nullable?: boolean;
  readonly anyOf?: readonly StructLike[];
  readonly items?: StructLike;
  readonly [keyword: string]: unknown;
}

const notesKey = Symbol.for('agent-session-service.notes');

/** The notes that the functions of this file left on a struct. */
export function notesOf(value: object): Notes {
  return notesKey in value ? (value[notesKey] as Notes) : {};
}

/** Describes a field for the model that fills it in. */
export function field<T, S>(inner: struct.Struct<T, S>, description: string): struct.Struct<T, S> {
  // A copy made by the constructor would check everything through one more pair of generators.
  const copy: struct.Struct<T, S> = Object.assign(Object.create(struct.Struct.prototype), inner);
  return annotate(copy, inner, { description });
}

// superstruct's own functions, which also leave a note: a refined struct does not say what it was refined with.

/** A field that may be left out. */
export function optional<T, S>(inner: struct.Struct<T, S>): struct.Struct<T | undefined, S> {
  return annotate(struct.optional(inner), inner, {});
}

/** Takes null, too. */
export function nullable<T, S>(inner: struct.Struct<T, S>): struct.Struct<T | null, S> {
  return annotate(struct.nullable(inner), inner, { nullable: true });
}

/** A field that may be left out; `fallback` stands in for it. */
export function defaulted<T, S>(inner: struct.Struct<T, S>, fallback: T | (() => T)): struct.Struct<T, S> {
  return annotate(struct.defaulted(inner, fallback), inner, {});
}

/** A number that is not below `minimum`. */
export function min<S>(inner: struct.Struct<number, S>, minimum: number): struct.Struct<number, S> {
  return annotate(struct.min(inner, minimum), inner, { minimum });
}

/** A number that is not above `maximum`. */
export function max<S>(inner: struct.Struct<number, S>, maximum: number): struct.Struct<number, S> {
  return annotate(struct.max(inner, maximum), inner, { maximum });
}

/** Bounds a number, the length of a string or the number of items of an array. */
export function size<T extends string | number | unknown[], S>(
  inner: struct.Struct<T, S>,
  least: number,
  most: number = least,
): struct.Struct<T, S> {
  return annotate(struct.size(inner, least, most), inner, bounds(inner.type, least, most));
}

/** A string or an array that is not empty. */
export function nonempty<T extends string | unknown[], S>(inner: struct.Struct<T, S>): struct.Struct<T, S> {
  return annotate(struct.nonempty(inner), inner, inner.type === 'array' ? { minItems: 1 } : { minLength: 1 });
}

/** A string that an expression finds something in. The model reads it too, unless it has flags that JSON Schema cannot say. */
export function pattern<S>(inner: struct.Struct<string, S>, expression: RegExp): struct.Struct<string, S> {
  const isPlain = /^[dguvy]*$/.test(expression.flags);
  return annotate(struct.pattern(inner, expression), inner, isPlain ? { pattern: expression.source } : {});
}

/** An object with any names and values of one kind. */
export function record<V, S>(
  key: struct.Struct<string>,
  value: struct.Struct<V, S>,
): struct.Struct<Record<string, V>, null> {
  const made: struct.Struct<Record<string, V>, null> = struct.record(key, value as struct.Struct<V>);
  return annotate(made, {}, { items: value });
}

type AnyOf<A extends readonly StructLike[]> = A[number]['TYPE'];

/** A value of any of these kinds. */
export function union<A extends readonly [StructLike, ...StructLike[]]>(structs: A): struct.Struct<AnyOf<A>, null> {
  const [first, ...rest] = structs as readonly StructLike[] as [struct.Struct, ...struct.Struct[]];
  const made: struct.Struct<unknown, null> = struct.union([first, ...rest]);
  return annotate(made as struct.Struct<AnyOf<A>, null>, {}, { anyOf: structs });
}

function bounds(type: string, least: number, most: number): Notes {
  if (type === 'array') return { minItems: least, maxItems: most };
  return type === 'string' ? { minLength: least, maxLength: most } : { minimum: least, maximum: most };
}

function annotate<Made extends object>(made: Made, inner: object, notes: Notes): Made {
  return Object.assign(made, { [notesKey]: { ...notesOf(inner), ...notes } });
}
