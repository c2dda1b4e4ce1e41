import { wholeResponse } from './whole-response.ts';

/** Every error code of the contract and of DECISIONS.md, with its status. Guards may add codes of their own (always 429). */
const statusOfCode = {
  invalid_json: 400,
  invalid_body: 400,
  invalid_title: 400,
  invalid_model: 400,
  invalid_prompt: 400,
  invalid_message: 400,
  invalid_decision: 400,
  bad_path: 400,
  invalid_path: 400,
  invalid_images: 400,
  invalid_rewind_target: 400,
  unauthorized: 401,
  forbidden: 403,
  outside_workspace: 403,
  not_found: 404,
  session_not_found: 404,
  approval_not_found: 404,
  message_not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  session_busy: 409,
  not_resumable: 409,
  conflict: 409,
  checkpoints_unavailable: 409,
  payload_too_large: 413,
  message_too_large: 413,
  quota_exceeded: 429,
  internal_error: 500,
  plugin_route_failed: 500,
} as const satisfies Record<string, number>;

export type ErrorCode = keyof typeof statusOfCode;

/** The body of every error response (contract: Errors). */
export interface ErrorEnvelope {
  error: { code: string; message: string; details?: unknown };
}

export interface ServiceErrorOptions {
  details?: unknown;
  headers?: Record<string, string>;
  cause?: unknown;
}

/**
 * The one error that leaves the service as an answer. Thrown at the edge, never inside a run.
 * Recognise it with {@link isServiceError}: a plugin may carry its own copy of this class.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: string;
  readonly status: number;
  readonly details: unknown;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options?: ServiceErrorOptions);
  constructor(code: string, message: string, options: ServiceErrorOptions & { status: number });
  constructor(code: string, message: string, options: ServiceErrorOptions & { status?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status ?? statusOfCode[code as ErrorCode];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  toResponse(): Response {
    return errorResponse(this);
  }
}

/** By name, and only with a code and an error status: what a plugin throws under that name may be half of one. */
export function isServiceError(value: unknown): value is ServiceError {
  if (!(value instanceof Error) || value.name !== 'ServiceError') return false;
  if (!('code' in value && 'status' in value) || typeof value.code !== 'string') return false;
  return Number.isInteger(value.status) && Number(value.status) >= 400 && Number(value.status) <= 599;
}

/** The envelope with `cache-control: no-store`, as the contract wants it on every error. */
export function errorResponse(
  error: Pick<ServiceError, 'code' | 'status' | 'message' | 'details' | 'headers'>,
): Response {
  const body: ErrorEnvelope = { error: { code: error.code, message: error.message } };
  if (error.details !== undefined) body.error.details = error.details;
  // Set, not spread: a plugin may spell the names of its headers in any case.
  const headers = new Headers(error.headers);
  headers.set('content-type', 'application/json; charset=utf-8');
  headers.set('cache-control', 'no-store');
  return wholeResponse(JSON.stringify(body), { status: error.status, headers });
}
