import { define, type Struct } from 'superstruct';

/*
 * The rule of each value in words. A rule's text is the name of its struct, so that a refusal can say what was
 * expected without ever repeating what was given: that may be a secret.
 */

export const text = (rule = 'text'): Struct<string, null> => define(rule, (value) => typeof value === 'string');

export const nonEmptyText = (): Struct<string, null> =>
  define('text that is not empty', (value) => typeof value === 'string' && value.trim() !== '');

export const wholeNumber = (least: number, most = Number.MAX_SAFE_INTEGER): Struct<number, null> => {
  const rule =
    most === Number.MAX_SAFE_INTEGER
      ? `a whole number of at least ${least}`
      : `a whole number from ${least} to ${most}`;
  return define(rule, (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most);
};

/** A number above `above` (or equal to `least`) up to `most`. */
export const fraction = (bounds: { above?: number; least?: number; most: number }): Struct<number, null> => {
  const { above = Number.NEGATIVE_INFINITY, least = Number.NEGATIVE_INFINITY, most } = bounds;
  const from = bounds.above === undefined ? `from ${least}` : `above ${above}`;
  return define(
    `a number ${from} up to ${most}`,
    (value) => typeof value === 'number' && value > above && value >= least && value <= most,
  );
};

export const trueOrFalse = (): Struct<boolean, null> => define('true or false', (value) => typeof value === 'boolean');

export const oneOf = <const Choices extends readonly (string | boolean)[]>(
  ...choices: Choices
): Struct<Choices[number], null> =>
  define(`one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`, (value) =>
    choices.some((choice) => choice === value),
  );

export const textList = (): Struct<string[], null> =>
  define(
    'a list of texts that are not empty',
    (value) => Array.isArray(value) && value.every((entry) => typeof entry === 'string' && entry.trim() !== ''),
  );

/** Tenant id to a directory. */
export const tenantDirectories = (): Struct<Record<string, string>, null> =>
  define(
    'an object of tenant ids (a-z, 0-9 and "-", at most 64 characters) with one directory each',
    (value) =>
      isRecord(value) &&
      Object.entries(value).every(
        ([tenant, path]) => /^[a-z0-9-]{1,64}$/.test(tenant) && typeof path === 'string' && path.trim() !== '',
      ),
  );

/** Plugin name to that plugin's options; each plugin checks its own. */
export const optionsByName = (): Struct<Record<string, Record<string, unknown>>, null> =>
  define('an object of plugin names with one options object each', (value, { path }) => {
    if (!isRecord(value)) return false;
    const wrong = Object.entries(value).find(([, options]) => !isRecord(options));
    return wrong === undefined || { path: [...path, wrong[0]], type: 'an object of options', value: wrong[1] };
  });

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
