import type { App } from '../app.ts';
import type { Session } from '../session/session.ts';
import { isServiceError, ServiceError } from '../wire/errors.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The workspace of a session. Throws ServiceError `not_found` when its directory is gone since. */
export async function sessionWorkspace(app: Pick<App, 'workspaces'>, session: Session): Promise<Workspace> {
  try {
    return await app.workspaces.open(session.record.workspace);
  } catch (error) {
    if (isServiceError(error) && error.code === 'invalid_body')
      throw new ServiceError('not_found', 'The workspace directory of this session is not there any more.');
    throw error;
  }
}
