import { createHash } from 'node:crypto';
import { applyToMessages, type SessionChange } from '../../lib/store/change.ts';
import type { SessionStore } from '../../lib/store/session-store.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';
import { sampleMessage, sampleRecord, texts } from './sample.ts';

/** What every session does at each revision: known from the outside, so that a transcript can be checked to the letter. */
export function changeAt(id: string, revision: number, tenantId = 'default'): SessionChange {
  if (revision === 1) return { kind: 'created', session: sampleRecord(id, { tenantId }) };
  const kind = kindAt(revision);
  if (kind === 'truncated') return { kind, keep: 3, fields: {} };
  if (kind === 'compacted') return { kind, removed: 2, summary: fixed(id, revision, 0), fields: {} };
  if (kind === 'updated') return { kind, fields: { title: `Revision ${revision}` } };
  return { kind, messages: [fixed(id, revision, 0), fixed(id, revision, 1)], fields: {} };
}

/** The image, in base64, that must be in the store before the change at this revision is committed. */
export function imageAt(id: string, revision: number): string | undefined {
  if (revision % 6 !== 4 || kindAt(revision) !== 'appended') return undefined;
  return Buffer.from(`image ${id} ${revision} `.repeat(1 + (revision % 70))).toString('base64');
}

export function transcriptAt(id: string, revision: number): string[] {
  const messages: StoredMessage[] = [];
  for (let at = 2; at <= revision; at++) applyToMessages(messages, changeAt(id, at));
  return messages.map(({ content }) => content);
}

/** Stores the image of a revision, if it has one, and commits its change; resolves once it is acknowledged. */
export async function commitScripted(
  store: SessionStore,
  id: string,
  revision: number,
  tenantId = 'default',
): Promise<void> {
  const image = imageAt(id, revision);
  if (image !== undefined) await store.putImage(tenantId, id, image);
  await store.commit({ tenantId, sessionId: id, revision, change: changeAt(id, revision, tenantId) });
}

/** What is wrong with a session at a revision: its transcript, or an image that its messages refer to. */
export async function wrongWith(
  store: SessionStore,
  { id, tenantId, revision }: { id: string; tenantId: string; revision: number },
): Promise<string | undefined> {
  let messages: StoredMessage[];
  try {
    messages = await store.readMessages(tenantId, id);
  } catch (error) {
    return `${id} can not be read: ${error instanceof Error ? error.message : error}`;
  }
  if (JSON.stringify(texts(messages)) !== JSON.stringify(transcriptAt(id, revision)))
    return `${id} at revision ${revision} is not what was committed`;
  for (const { hash } of messages.flatMap(({ images = [] }) => images)) {
    const image = await store.readImage(tenantId, id, hash);
    if (image === undefined || sha256(image) !== hash) return `${id} at revision ${revision} lacks its image ${hash}`;
  }
  return undefined;
}

function kindAt(revision: number): 'truncated' | 'compacted' | 'updated' | 'appended' {
  if (revision % 13 === 0) return 'truncated';
  if (revision % 11 === 0) return 'compacted';
  return revision % 7 === 0 ? 'updated' : 'appended';
}

function sha256(base64: string): string {
  return createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex');
}

function fixed(id: string, revision: number, part: number): StoredMessage {
  const image = part === 0 ? imageAt(id, revision) : undefined;
  return sampleMessage(`${id} ${revision}.${part} ${'x'.repeat((revision * 37) % 400)}`, {
    id: `msg_${revision}_${part}`,
    ...(image && {
      images: [{ mimeType: 'image/png', hash: sha256(image), bytes: Buffer.byteLength(image, 'base64') }],
    }),
  });
}
