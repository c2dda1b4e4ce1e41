import { endpoint } from '../../lib/http/endpoint.ts';
import { json } from '../../lib/http/respond.ts';
import { sendMessage } from '../../lib/service/send-message.ts';
import { SendMessageRequest } from '../../lib/wire/requests.ts';

/** Answers 202 once the message is durable, without waiting for the model. */
export default endpoint('POST /api/sessions/:id/messages', {
  access: 'user',
  session: true,
  body: SendMessageRequest,
  async handle({ app, session, body }) {
    const { run } = await sendMessage(app, session, body);
    return json({ runId: run.id }, 202);
  },
});
