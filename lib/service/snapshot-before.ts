import type { App } from '../app.ts';
import { messageOf } from '../base/caught.ts';
import type { CheckpointSession, ExpectedCheckpoint } from '../checkpoints/checkpointer.ts';
import type { Run } from '../run/run.ts';
import type { Session } from '../session/session.ts';
import type { StoredMessage } from '../wire/message.ts';
import { checkpointOwner } from './checkpoint-owner.ts';

type Surroundings = Pick<App, 'checkpoints' | 'config' | 'log'>;

export interface SnapshotWanted {
  /** The message of the run; a resumed one has none. */
  message?: StoredMessage;
  /** See `messageCutOff`. */
  cutOff: StoredMessage | undefined;
  /** Resolves when the start of the run is durable. */
  accepted: Promise<void>;
}

/**
 * Takes the snapshot before a message beside the model call, once the message is durable so that the two do not compete
 * for the disk. Its failure is a notice, never a failed run.
 */
export function snapshotBefore(app: Surroundings, run: Run, { message, cutOff, accepted }: SnapshotWanted): void {
  const { session } = run;
  if (session.record.parentId !== undefined || app.config.checkpoints.enabled === false) return;
  if (!message && !cutOff) return;
  const owner = checkpointOwner(session);
  const expected: ExpectedCheckpoint[] = [];
  let isWaitedFor = false;
  const hurry = (): void => {
    if (isWaitedFor) for (const checkpoint of expected) checkpoint.hurry();
  };
  const capture = (...messages: (StoredMessage | undefined)[]): Promise<unknown> => {
    for (const each of messages) if (each) expected.push(captureBefore(app, owner, each));
    hurry();
    return Promise.all(expected.map(({ taken }) => taken));
  };
  const taken = accepted
    .then(async () => {
      const lost = cutOff && (await withoutSnapshot(app, owner, cutOff));
      // Behind its deletion nobody would look for checkpoints of the session again.
      return session.removed ? undefined : capture(lost, message);
    })
    .then(
      () => undefined,
      (error: unknown) => {
        app.log.warn('The checkpoint before a message failed.', { sessionId: session.id, error });
        run.notice('warn', `No checkpoint was taken before this message: ${messageOf(error)}`);
      },
    );
  run.checkpoint = () => {
    isWaitedFor = true;
    hurry();
    return taken;
  };
}

/**
 * The message at the end of an interrupted session. A crash may have come between it and its snapshot. No tool has run since,
 * so the next run takes that snapshot before its own first tool: then a rewind to the message finds the files as they were.
 */
export function messageCutOff({ record, messages }: Session): StoredMessage | undefined {
  const last = messages.at(-1);
  return record.status === 'interrupted' && last?.role === 'user' ? last : undefined;
}

function captureBefore(
  { checkpoints }: Surroundings,
  owner: CheckpointSession,
  { id, content }: StoredMessage,
): ExpectedCheckpoint {
  const label = `Before: ${[...(content || 'Image')].slice(0, 72).join('')}`;
  return checkpoints.captureBefore(owner, { id, label });
}

async function withoutSnapshot(
  { checkpoints }: Surroundings,
  owner: CheckpointSession,
  message: StoredMessage,
): Promise<StoredMessage | undefined> {
  return (await checkpoints.ofMessage(owner, message.id)) ? undefined : message;
}
