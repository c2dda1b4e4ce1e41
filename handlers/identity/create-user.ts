import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { CreateUserRequest } from '../../lib/wire/requests.ts';

/** The answer is the only one that ever carries this user's token. */
export default endpoint('POST /api/users', {
  access: 'admin',
  body: CreateUserRequest,
  handle: async ({ app, body }) => json(await app.auth.createUser(body), 201),
});
