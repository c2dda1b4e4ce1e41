import type { CheckpointSession } from '../checkpoints/checkpointer.ts';
import type { Session } from '../session/session.ts';

/** What the checkpointer needs to know of a session. */
export function checkpointOwner({ id, tenantId, record }: Session): CheckpointSession {
  return { id, tenantId, workspace: record.workspace };
}
