/**
 * Functions as they were before the bundle ran. It shares their realm and may replace whatever prototypes hold; these keep working, and
 * call nothing of it.
 */
export function methodOf<Self, Rest extends unknown[], Result>(
  method: (this: Self, ...rest: Rest) => Result,
): (self: Self, ...rest: Rest) => Result {
  return Function.prototype.call.bind(method) as (self: Self, ...rest: Rest) => Result;
}

/** Reads a property of objects with this prototype. Throws a TypeError for others. */
export function getterOf<Self extends object, Name extends keyof Self & string>(
  prototype: Self,
  name: Name,
): (self: Self) => Self[Name] {
  const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
  if (!get) throw new TypeError(`There is no getter ${name}.`);
  return methodOf<Self, [], Self[Name]>(get);
}
