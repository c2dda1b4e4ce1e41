import { errorText, isRetryableStatus, ProviderError, recordOf, textOf } from '../../lib/plugin-api/index.ts';

/** An error object inside an answer with status 200; its type stands for the status that it would have had. */
export function streamFailure(provider: string, failure: unknown): ProviderError {
  const type = textOf(recordOf(recordOf(failure).error).type);
  const status = Object.hasOwn(statuses, type) ? statuses[type] : undefined;
  return new ProviderError(`${provider}: ${errorText(failure) || 'the answer is an error without a message'}`, {
    retryable: status !== undefined && isRetryableStatus(status),
    ...(status === undefined ? {} : { status }),
  });
}

const statuses: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
};
