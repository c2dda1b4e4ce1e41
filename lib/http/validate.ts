import { type Failure, type Struct, validate as validateStruct } from 'superstruct';
import { ServiceError } from '../wire/errors.ts';
import { fieldRules } from '../wire/requests.ts';

/**
 * The value in the shape of the struct, coerced (titles trimmed, `data:` prefixes stripped). Throws the contract's error for
 * the first field that fails; the text names field and rule and never repeats the value.
 */
export function validate<T>(value: unknown, struct: Struct<T, unknown>): T {
  let failure: Failure | undefined;
  try {
    const [error, valid] = validateStruct(value, struct, { coerce: true });
    if (!error) return valid;
    // Only the first: listing every failure of a hostile body takes seconds.
    failure = error;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw failure ? describe(failure) : new ServiceError('invalid_body', 'The body is nested too deeply.');
}

function describe(failure: Failure): ServiceError {
  const field = String(failure.path[0] ?? '');
  const path = failure.path.join('.');
  const known = fieldRules[`${field}:${failure.refinement ?? ''}`] ?? fieldRules[field];
  if (field === '') {
    if (known) return new ServiceError(known.code, known.rule);
    return new ServiceError('invalid_body', 'The body must be a JSON object.');
  }
  const rule = known?.rule ?? (failure.refinement ? 'is out of range' : `must be of type ${failure.type}`);
  return new ServiceError(known?.code ?? 'invalid_body', `\`${field}\` ${rule}.`, { details: { path } });
}
