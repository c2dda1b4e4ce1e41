import { endpoint } from '../../lib/http/endpoint.ts';
import { noContent } from '../../lib/http/respond.ts';
import { deleteSession } from '../../lib/service/delete-session.ts';

export default endpoint('DELETE /api/sessions/:id', {
  access: 'user',
  session: true,
  async handle({ app, session }) {
    await deleteSession(app, session);
    return noContent();
  },
});
