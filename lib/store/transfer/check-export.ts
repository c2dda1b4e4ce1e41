import { createHash } from 'node:crypto';
import { messageOf } from '../../base/caught.ts';
import type { SessionRecord } from '../../wire/session.ts';
import { decodeLine, type Line } from './line.ts';
import { readLines } from './read-lines.ts';
import { importKey } from './remove-unfinished.ts';
import { type Kin, strayChildren } from './stray-children.ts';

export interface BadLine {
  number: number;
  /** What is wrong, without the line's content. */
  why: string;
}

export interface CheckedExport {
  /** Lines to leave out, lowest number first. */
  bad: BadLine[];
  /** Messages of each session in the file that are good. */
  counts: Map<string, number>;
  /** Sessions that the store has already, exactly so. */
  present: Set<string>;
  accounts: unknown;
  /** A later release wrote it: what this one would make of it is a guess. */
  later: boolean;
}

export interface CheckOptions {
  /** The sessions of the store that is imported into. */
  existing: ReadonlyMap<string, SessionRecord>;
  /** Why the accounts can't be taken; undefined when they can, or are not wanted. */
  refuseAccounts: (content: unknown) => string | undefined;
}

/** Reads a whole export without changing anything, and says which of its lines can't be imported, and why. */
export async function checkExport(path: string, options: CheckOptions): Promise<CheckedExport> {
  const checked: CheckedExport = { bad: [], counts: new Map(), present: new Set(), accounts: undefined, later: false };
  const seen = { sessions: 0, images: 0, messages: 0 };
  /** Of the sessions in the file that are good so far, with their lines. */
  const sessions = new Map<string, Kin & { number: number }>();
  let current: string | undefined;
  let last = 0;
  let lines = 0;
  let ended = false;

  for await (const { number, bytes } of readLines(path)) {
    last = number;
    lines += 1;
    try {
      look(decodeLine(bytes));
    } catch (error) {
      checked.later ||= error instanceof Error && error.name === 'LaterFormat';
      checked.bad.push({ number, why: messageOf(error) });
    }
  }
  for (const [id, why] of strayChildren(sessions, (each) => sessions.get(each) ?? options.existing.get(each))) {
    checked.counts.delete(id);
    checked.bad.push({ number: sessions.get(id)?.number ?? 0, why });
  }
  checked.bad.sort((a, b) => a.number - b.number);
  if (!ended) checked.bad.push({ number: last + 1, why: 'the file ends before its last line: it was cut off' });
  return checked;

  function look(line: Line): void {
    if (ended) throw new Error('it comes after the end');
    if (lines === 1 && line.kind !== 'export') throw new Error('the first line must be of kind "export"');
    if (line.kind === 'session') lookAtSession(line.record);
    else if (line.kind === 'image') lookAtImage(line);
    else if (line.kind === 'message') {
      ofCurrent(line.session);
      checked.counts.set(line.session, (checked.counts.get(line.session) ?? 0) + 1);
      seen.messages += 1;
    } else if (line.kind === 'accounts') {
      const refusal = options.refuseAccounts(line.content);
      if (refusal !== undefined) throw new Error(refusal);
      checked.accounts = line.content;
    } else if (line.kind === 'value') {
      if (line.key === importKey) throw new Error(`the value "${importKey}" is what an import notes for itself`);
    } else if (line.kind === 'end') lookAtEnd(line);
  }

  function lookAtSession(record: SessionRecord): void {
    current = undefined;
    seen.sessions += 1;
    const { id, tenantId, parentId, depth, role } = record;
    if (parentId !== undefined && (depth === undefined || role === undefined))
      throw new Error('a session with a parent needs "depth" and "role"');
    if (checked.counts.has(id)) throw new Error(`session ${id} is in the file twice`);
    const existing = options.existing.get(id);
    if (existing && !sameBut(existing, record)) throw new Error(`session ${id} exists already, and is not the same`);
    if (existing) checked.present.add(id);
    checked.counts.set(id, 0);
    sessions.set(id, { tenantId, ...(parentId !== undefined && { parentId }), number: last });
    current = id;
  }

  function lookAtImage({ session, hash, data }: Extract<Line, { kind: 'image' }>): void {
    seen.images += 1;
    ofCurrent(session);
    if (createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex') !== hash)
      throw new Error('the image does not match its hash');
  }

  function ofCurrent(session: string): void {
    if (session !== current) throw new Error(`it belongs to session ${session}, which is not the one before it`);
  }

  function lookAtEnd({ sessions, images, messages }: Extract<Line, { kind: 'end' }>): void {
    ended = true;
    const whole = sessions === seen.sessions && images === seen.images && messages === seen.messages;
    if (!whole)
      throw new Error(
        `it counts ${sessions} sessions, ${images} images and ${messages} messages, ` +
          `but ${seen.sessions}, ${seen.images} and ${seen.messages} are there`,
      );
  }
}

function sameBut(one: SessionRecord, other: SessionRecord): boolean {
  const plain = (record: SessionRecord): string =>
    JSON.stringify(Object.entries({ ...record, revision: 0 }).sort(([a], [b]) => (a < b ? -1 : 1)));
  return plain(one) === plain(other);
}
