/**
 * A guard's veto: 429 with `code` (contract: Errors, rule 2). Recognised by name and a string `code`, so a plugin may
 * throw an error of its own making.
 */
export class SessionGuardError extends Error {
  override readonly name = 'SessionGuardError';
  readonly code: string;
  /** Becomes `Retry-After`. */
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: { retryAfterSeconds?: number } = {}) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
