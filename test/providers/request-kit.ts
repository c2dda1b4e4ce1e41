import type { ModelMessage, ModelRequest } from '../../lib/models/model.ts';
import { Options as ChatOptions, endpointsOf } from '../../plugins/chat-completions/options.ts';
import { createRequestBody as chatBody } from '../../plugins/chat-completions/request-body.ts';
import { endpointOf, Options as MessagesOptions } from '../../plugins/messages-api/options.ts';
import { createRequestBody as messagesBody } from '../../plugins/messages-api/request-body.ts';
import { signatureOf } from '../helpers/scripted-model/messages-reply.ts';
import { requestOf } from './provider-kit.ts';

export const tool = { name: 'look', description: 'Looks', parameters: { type: 'object' } };
export const imageData = Buffer.from('pixels').toString('base64');
export const image = { mimeType: 'image/webp' as const, data: imageData };

/** What a message keeps of one thought that this model signed. */
export function signed(model: string, thought: string): Record<string, unknown> {
  return { thinking: { model, blocks: [{ type: 'thinking', thinking: thought, signature: signatureOf(thought) }] } };
}

/** The chat completions request of these messages. */
export function chat(messages: ModelMessage[], options: object = {}, request: Partial<ModelRequest> = {}) {
  const [endpoint] = endpointsOf(ChatOptions.create({ baseUrl: 'http://host.test', ...options }), {});
  if (endpoint === undefined) throw new Error('no endpoint');
  return parsed(chatBody(endpoint, { id: 'm' })(requestOf({ tools: [tool], ...request, messages })));
}

/** The same for a model of that id. */
export function chatFor(id: string, messages: ModelMessage[]) {
  const [endpoint] = endpointsOf(ChatOptions.create({ baseUrl: 'http://host.test' }), {});
  if (endpoint === undefined) throw new Error('no endpoint');
  return parsed(chatBody(endpoint, { id })(requestOf({ tools: [tool], messages })));
}

/** The messages API request of these messages. */
export function anthropic(messages: ModelMessage[], options: object = {}, request: Partial<ModelRequest> = {}) {
  const endpoint = endpointOf(MessagesOptions.create({ baseUrl: 'http://host.test', ...options }), {});
  if (endpoint === undefined) throw new Error('no endpoint');
  return parsed(messagesBody(endpoint, { id: 'm' })(requestOf({ tools: [tool], ...request, messages })));
}

function parsed(body: Uint8Array) {
  return JSON.parse(Buffer.from(body).toString());
}
