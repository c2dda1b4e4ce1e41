import type { StoredMessage } from '../../wire/message.ts';
import type { Row } from './database.ts';
import { unseal } from './seal.ts';

/** What a statement selects of `messages` for `messageFromRow`, beside the `secret` of the session. */
export const messageColumns = "body, encode(sealed, 'base64') AS sealed";

/** A message of a row with `messageColumns` and `secret`. One that an earlier version wrote is still in the clear, in `body`. */
export function messageFromRow({ body, sealed, secret }: Row): StoredMessage {
  return JSON.parse(sealed === null ? String(body) : unseal(String(secret), String(sealed)));
}
