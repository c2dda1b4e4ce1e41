/** The one error of a change that is not in the store; `code` says why. Nothing of it counts. */
export function notStored(code: string, why = code): Error {
  return Object.assign(new Error(`The change was not stored (${why}). Nothing was changed.`), {
    name: 'NotStored',
    code,
  });
}

export function isNotStored(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotStored';
}

/** The one error of a change whose fate is not known when the store stops: the next start has it as a whole or not at all. */
export function storeInDoubt(): Error {
  const error = new Error(
    'It is not known whether the change was stored: the store stopped before its database answered.',
  );
  return Object.assign(error, { name: 'StoreInDoubt' });
}

export function isStoreInDoubt(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreInDoubt';
}
