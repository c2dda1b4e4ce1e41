import { isApiError } from '../../lib/client/index.ts';

/** What went wrong, in a sentence for the person who meets it. */
export function messageOf(error: unknown): string {
  if (isApiError(error)) return error.message;
  if (error instanceof TypeError) return 'The server is not reachable.';
  return error instanceof Error ? error.message : String(error);
}
