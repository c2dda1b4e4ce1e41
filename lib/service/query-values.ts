import { ServiceError } from '../wire/errors.ts';

/** A positive whole number of a query string; undefined when it is not there. Throws `invalid_body`. */
export function wholeNumber(params: URLSearchParams, name: string, most: number): number | undefined {
  const value = params.get(name);
  if (value === null) return undefined;
  const number = Number(value);
  if (/^\d{1,9}$/.test(value) && number >= 1 && number <= most) return number;
  throw new ServiceError('invalid_body', `"${name}" must be a whole number from 1 to ${most}.`, {
    details: { path: name },
  });
}

/** Whether a query string says yes to something: `1` or `true`. */
export function isSet(params: URLSearchParams, name: string): boolean {
  return ['1', 'true'].includes(params.get(name) ?? '');
}
