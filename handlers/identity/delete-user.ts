import { endpoint } from '../../lib/http/endpoint.ts';
import { noContent } from '../../lib/http/respond.ts';

/** The user's token dies; the sessions stay with the tenant. The last administrator stays: 409 `conflict`. */
export default endpoint('DELETE /api/users/:id', {
  access: 'admin',
  async handle({ app, params }) {
    await app.auth.deleteUser(params.id ?? '');
    return noContent();
  },
});
