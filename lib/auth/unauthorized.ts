import { ServiceError } from '../wire/errors.ts';

/** The answer to a request without a valid credential. */
export function unauthorized(): ServiceError {
  return new ServiceError('unauthorized', 'A valid token is required: send "Authorization: Bearer <token>".', {
    headers: { 'www-authenticate': 'Bearer' },
  });
}
