/** What a caught value says, for a person. Anything can be thrown; an error without words says its name. */
export function messageOf(caught: unknown): string {
  return caught instanceof Error && caught.message !== '' ? caught.message : String(caught);
}

/** What a caught value says for the log: with the stack, where it has one. */
export function stackOf(caught: unknown): string {
  return caught instanceof Error ? (caught.stack ?? caught.message) : String(caught);
}

/** The code of a system error (`ENOENT`), or undefined. */
export function systemCode(caught: unknown): string | undefined {
  return caught instanceof Error && 'code' in caught && typeof caught.code === 'string' ? caught.code : undefined;
}
