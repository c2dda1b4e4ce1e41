/** An answer of the service that is not a success. `code` is the contract's; `http_<status>` when the body was not its envelope. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: unknown;
  /** The `Retry-After` of the answer, in seconds. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    fields: { status: number; code: string; details?: unknown; retryAfterSeconds?: number | undefined },
  ) {
    super(message);
    this.status = fields.status;
    this.code = fields.code;
    this.details = fields.details;
    this.retryAfterSeconds = fields.retryAfterSeconds;
  }
}

/** Reads the error envelope; a proxy in between may have answered with something else. */
export async function readApiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  const { code, message, details } = envelopeIn(text);
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(typeof message === 'string' ? message : `The server answered ${response.status}.`, {
    status: response.status,
    code: typeof code === 'string' ? code : `http_${response.status}`,
    details,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function envelopeIn(text: string): { code?: unknown; message?: unknown; details?: unknown } {
  try {
    const body = JSON.parse(text) as { error?: { code?: unknown; message?: unknown; details?: unknown } } | null;
    return body?.error ?? {};
  } catch {
    return {};
  }
}
