import type { App } from '../app.ts';
import { messageOf } from '../base/caught.ts';
import type { Run } from '../run/run.ts';
import type { StoredMessage } from '../wire/message.ts';
import { checkpointOwner } from './checkpoint-owner.ts';

/**
 * Takes the snapshot before a message beside the model call, once the message is durable so that the two do not compete
 * for the disk. Its failure is a notice, never a failed run.
 */
export function snapshotBefore(
  app: Pick<App, 'checkpoints' | 'config' | 'log'>,
  run: Run,
  { message, accepted }: { message: StoredMessage; accepted: Promise<void> },
): void {
  const { session } = run;
  if (session.record.parentId !== undefined || app.config.checkpoints.enabled === false) return;
  const label = `Before: ${[...(message.content || 'Image')].slice(0, 72).join('')}`;
  let hurry = (): void => undefined;
  const taken = accepted
    .then(() => {
      const checkpoint = app.checkpoints.captureBefore(checkpointOwner(session), { id: message.id, label });
      hurry = checkpoint.hurry;
      return checkpoint.taken;
    })
    .then(
      () => undefined,
      (error: unknown) => {
        app.log.warn('The checkpoint before a message failed.', { sessionId: session.id, error });
        run.notice('warn', `No checkpoint was taken before this message: ${messageOf(error)}`);
      },
    );
  run.checkpoint = () => {
    hurry();
    return taken;
  };
}
