/** Who is calling. `anonymous` in mode none, `operator` with the one token of mode token, `user` in accounts. */
export interface Principal {
  readonly kind: 'anonymous' | 'operator' | 'user';
  readonly tenantId: string;
  readonly admin: boolean;
  readonly userId?: string;
  readonly name?: string;
}

export type AuthMode = 'none' | 'token' | 'accounts';

/** Contract: Authentication. */
export interface Auth {
  readonly mode: AuthMode;
  /**
   * The caller of a request, from `Authorization: Bearer` or, on GET, `?token=`. Throws ServiceError `unauthorized`,
   * or `overloaded` (429) when it can't be looked at now. May delay the answer to a caller (`ip`) that failed often.
   */
  authenticate(request: Request, ip: string): Promise<Principal>;
  /** Whether the credential of this principal is still what it was: a request may wait for its body for long. O(1). */
  isValid(principal: Principal): boolean;
  /**
   * Calls `fn` when a credential of this principal stops being valid (rotation, deletion): live streams end then. The
   * result cancels it.
   */
  whenRevoked(principal: Principal, fn: () => void): () => void;
  /** The display name of a tenant. */
  tenantName(tenantId: string): string;
  /** `default`, and every tenant that was made, as far as the accounts have been read: in mode accounts from the start. */
  tenantIds(): Iterable<string>;
}
