import { messageOf, systemCode } from '../base/caught.ts';

/** The one error of a change that is not in the store; `code` says why. Nothing of it counts. */
export function notStored(code: string, why = code): Error {
  return Object.assign(new Error(`The change was not stored (${why}). Nothing was changed.`), {
    name: 'NotStored',
    code,
  });
}

/** True for what `notStored` made. */
export function isNotStored(error: unknown): boolean {
  return error instanceof Error && error.name === 'NotStored';
}

/** The one error of a change whose fate only the next start will tell: then it is there as a whole or not at all. */
export function storeInDoubt(why: string): Error {
  return Object.assign(new Error(`It is not known whether the change was stored: ${why}.`), { name: 'StoreInDoubt' });
}

/** True for what `storeInDoubt` made. */
export function isStoreInDoubt(error: unknown): boolean {
  return error instanceof Error && error.name === 'StoreInDoubt';
}

/** What a store answers to everything before it is open and after it was closed; nothing of it counts. */
export function storeClosed(): Error {
  return Object.assign(new Error('The store is not open.'), { name: 'StoreClosed' });
}

/** The one error of a transcript that should be there and can't be read, with the `code` of the system if there is one. */
export function unreadable(sessionId: string, cause: unknown): Error {
  return Object.assign(new Error(`The transcript of ${sessionId} cannot be read: ${messageOf(cause)}.`), {
    name: 'TranscriptUnreadable',
    code: systemCode(cause),
  });
}

/** A session that was never here, is gone, or belongs to another tenant. */
export function absent(sessionId: string): Error {
  return new Error(`Session ${sessionId} is not in the store.`);
}
