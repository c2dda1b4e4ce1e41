import type { App } from '../app.ts';
import { messageOf } from '../base/caught.ts';
import type { OutgoingEvent, Session } from '../session/session.ts';
import { toSummary } from '../session/summary.ts';
import { toChatMessages } from '../session/wire-message.ts';
import { ServiceError } from '../wire/errors.ts';
import type { StoredMessage } from '../wire/message.ts';
import type { Rewound } from '../wire/transcript.ts';
import { checkpointOwner } from './checkpoint-owner.ts';
import { refuseWhenBusy, refuseWhenRemoved } from './refuse.ts';
import { noticeRestore } from './restore-checkpoint.ts';

/**
 * Drops a user message and everything after it, then restores the snapshot taken before it (contract: Rewind). Truncation
 * comes first; a restore that fails is a `warning`. Throws `session_busy`, `message_not_found`, `invalid_rewind_target`.
 */
export async function rewindSession(
  app: Pick<App, 'store' | 'checkpoints' | 'runs' | 'sessions'>,
  session: Session,
  request: { messageId: string; restoreFiles: boolean },
): Promise<Rewound> {
  const { messageId } = request;
  await session.load();
  refuseWhenRemoved(session);
  refuseWhenBusy(session);
  const keep = session.messages.findIndex((message) => message.id === messageId);
  const target = session.messages[keep];
  if (!target) throw new ServiceError('message_not_found', 'There is no such message in this session.');
  if (target.role !== 'user')
    throw new ServiceError(
      'invalid_rewind_target',
      `Only a user message can be rewound to; this one is of role ${target.role}.`,
    );
  const claim = app.runs.claim(session, { isChange: true });
  try {
    const removed = session.messages.length - keep;
    const kept = session.messages.slice(0, keep);
    const messages = await toChatMessages(app.store, session, kept);
    refuseWhenRemoved(session);
    await session.commit({ kind: 'truncated', keep, fields: { status: 'idle' } }, (record) => [
      rewoundEvent(app, session, { messageId, kept }),
      { type: 'session.updated', sessionId: session.id, session: toSummary(record) },
    ]);
    const files = request.restoreFiles ? await restoreFiles(app, session, messageId) : untouched;
    return { messageId, removed, messages, ...files };
  } finally {
    app.runs.release(claim);
  }
}

/** Image bytes are read when a subscriber takes the event; the buffer does not hold them. */
function rewoundEvent(
  app: Pick<App, 'store'>,
  session: Session,
  { messageId, kept }: { messageId: string; kept: StoredMessage[] },
): OutgoingEvent {
  const event = { type: 'session.rewound', sessionId: session.id, messageId } as const;
  const plain = kept.map(({ images: _, ...message }) => message);
  return {
    event: { ...event, messages: plain },
    expand: async () => ({ ...event, messages: await toChatMessages(app.store, session, kept) }),
  };
}

const untouched = { restored: null, safety: null, warning: null };

async function restoreFiles(
  app: Pick<App, 'checkpoints' | 'sessions'>,
  session: Session,
  messageId: string,
): Promise<Pick<Rewound, 'restored' | 'safety' | 'warning'>> {
  const owner = checkpointOwner(session);
  try {
    const checkpoint = await app.checkpoints.ofMessage(owner, messageId);
    if (checkpoint) {
      const restored = await app.checkpoints.restore(owner, checkpoint.id);
      noticeRestore(app, session, restored);
      return restored;
    }
    const { enabled, reason } = await app.checkpoints.list(owner);
    const why = enabled ? 'no snapshot was taken before this message' : (reason ?? 'checkpoints are disabled');
    return { ...untouched, warning: `Files were left alone: ${why}.` };
  } catch (error) {
    return {
      ...untouched,
      warning: `Files were left alone: ${messageOf(error)}`,
    };
  }
}
