import type { StoredMessage } from '../../wire/message.ts';
import type { SessionRecord } from '../../wire/session.ts';
import type { SessionChange } from '../change.ts';
import type { SessionStore } from '../session-store.ts';
import type { CheckedExport } from './check-export.ts';
import { decodeLine, type Line } from './line.ts';
import { readLines } from './read-lines.ts';
import { importKey } from './remove-unfinished.ts';

export interface ImportOptions {
  store: SessionStore;
  path: string;
  checked: CheckedExport;
}

export interface Imported {
  sessions: number;
  images: number;
  messages: number;
  /** Sessions that were there already. */
  present: number;
}

const sessionsAtOnce = 64;
const charactersAtOnce = 4 * 1024 * 1024;
const messagesPerCommit = 100;

/**
 * Brings the good lines of a checked export into a store. Sessions are written a window at a time; the store remembers
 * which ones, so that the next start clears away what a crash left half done. Rejects as soon as something can't be
 * stored; what is complete by then stays, and importing the same file again goes on from there.
 */
export async function importSessions({ store, path, checked }: ImportOptions): Promise<Imported> {
  const bad = new Set(checked.bad.map(({ number }) => number));
  const done: Imported = { sessions: 0, images: 0, messages: 0, present: checked.present.size };
  let writing: Promise<void>[] = [];
  let characters = 0;
  const order = [...checked.counts.keys()].filter((id) => !checked.present.has(id));
  let current: { record: SessionRecord; revision: number; messages: StoredMessage[] } | undefined;

  // What is still to go of a session that was deleted must not take along what comes under its id now.
  await store.flush();
  for await (const { number, bytes } of readLines(path)) {
    if (bad.has(number)) continue;
    const line = decodeLine(bytes);
    if (line.kind === 'session') await beginSession(line.record);
    else if (line.kind === 'image') await takeImage(line);
    else if (line.kind === 'message') await takeMessage(line, bytes?.length ?? 0);
    else if (line.kind === 'value') await takeValue(line);
  }
  endSession();
  await settle();
  if (done.sessions > 0) await store.writeMeta(importKey, '[]');
  return done;

  async function beginSession(given: SessionRecord): Promise<void> {
    endSession();
    if (checked.present.has(given.id)) return;
    if (done.sessions % sessionsAtOnce === 0) {
      await settle();
      const window = order.slice(done.sessions, done.sessions + sessionsAtOnce);
      await store.writeMeta(importKey, JSON.stringify(window));
    }
    const record = { ...given, revision: 1, messageCount: checked.counts.get(given.id) ?? 0 };
    current = { record, revision: 1, messages: [] };
    commit({ kind: 'created', session: record });
    done.sessions += 1;
  }

  async function takeImage({ session, data }: Extract<Line, { kind: 'image' }>): Promise<void> {
    if (current?.record.id !== session) return;
    await store.putImage(current.record.tenantId, session, data);
    done.images += 1;
  }

  async function takeMessage({ session, message }: Extract<Line, { kind: 'message' }>, size: number): Promise<void> {
    if (current?.record.id !== session) return;
    current.messages.push(message);
    done.messages += 1;
    characters += size;
    if (current.messages.length >= messagesPerCommit || characters > charactersAtOnce) appendMessages();
    if (characters > charactersAtOnce) await settle();
  }

  async function takeValue({ key, value }: Extract<Line, { kind: 'value' }>): Promise<void> {
    // What the store knows already is newer.
    if ((await store.readMeta(key)) === undefined) await store.writeMeta(key, value);
  }

  function endSession(): void {
    if (current) appendMessages();
    current = undefined;
  }

  function appendMessages(): void {
    if (!current || current.messages.length === 0) return;
    current.revision += 1;
    commit({ kind: 'appended', messages: current.messages, fields: {} });
    current.messages = [];
  }

  function commit(change: SessionChange): void {
    if (!current) return;
    const { record, revision } = current;
    const task = store.commit({ tenantId: record.tenantId, sessionId: record.id, revision, change });
    task.catch(() => undefined);
    writing.push(task);
  }

  /** Waits for everything that is on its way. */
  async function settle(): Promise<void> {
    await Promise.all(writing);
    writing = [];
    characters = 0;
  }
}
