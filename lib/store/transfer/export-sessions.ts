import type { SessionRecord } from '../../wire/session.ts';
import type { SessionStore } from '../session-store.ts';
import { encodeLine, type Line } from './line.ts';
import { importKey } from './remove-unfinished.ts';

export interface ExportOptions {
  store: SessionStore;
  sessions: readonly SessionRecord[];
  product: string;
  driver: string;
  at: string;
  /** The accounts, when they are to be exported. */
  accounts?: unknown;
  /** Takes one line; resolves when it may be given the next. */
  write: (text: string) => Promise<void>;
}

export interface Exported {
  sessions: number;
  images: number;
  messages: number;
  /** Images of exported messages that are not there, or could not be read. */
  lostImages: number;
  /** Sessions that could not be read whole, with the reason. They are not in the export. */
  unreadable: { sessionId: string; reason: string }[];
}

/** Writes everything an opened store holds, one session in memory at a time. */
export async function exportSessions(options: ExportOptions): Promise<Exported> {
  const { store, sessions, product, driver, at, accounts } = options;
  const done: Exported = { sessions: 0, images: 0, messages: 0, lostImages: 0, unreadable: [] };
  const write = (line: Line): Promise<void> => options.write(encodeLine(line));

  await write({ kind: 'export', version: 1, product, driver, at });
  for (const record of sessions) {
    const { id, tenantId } = record;
    const messages = await store.readMessages(tenantId, id).catch((error: Error) => error);
    if (messages instanceof Error) {
      done.unreadable.push({ sessionId: id, reason: messages.message });
      continue;
    }
    await write({ kind: 'session', record });
    const hashes = new Set(messages.flatMap(({ images = [] }) => images.map(({ hash }) => hash)));
    for (const hash of hashes) {
      const data = await store.readImage(tenantId, id, hash).catch(() => undefined);
      done[data === undefined ? 'lostImages' : 'images'] += 1;
      if (data !== undefined) await write({ kind: 'image', session: id, hash, data });
    }
    for (const message of messages) await write({ kind: 'message', session: id, message });
    done.sessions += 1;
    done.messages += messages.length;
  }
  for (const key of await store.metaKeys()) {
    const value = key === importKey ? undefined : await store.readMeta(key);
    if (value !== undefined) await write({ kind: 'value', key, value });
  }
  if (accounts !== undefined) await write({ kind: 'accounts', content: accounts });
  await write({ kind: 'end', sessions: done.sessions, images: done.images, messages: done.messages });
  return done;
}
