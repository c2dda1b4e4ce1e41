import type { ModelEntry, ModelRequest } from '../../lib/plugin-api/index.ts';
import { toWireMessages } from './messages.ts';
import { type Endpoint, isOfficial } from './options.ts';

/** The body of one call. Options of the model beat options of the endpoint, which beat what the request asks for. */
export function requestBody(endpoint: Endpoint, entry: ModelEntry, request: ModelRequest): Record<string, unknown> {
  const { stream, streamUsage, sendReasoning, extraBody } = endpoint;
  const temperature = entry.temperature ?? endpoint.temperature ?? request.temperature;
  const maxTokens = entry.maxTokens ?? endpoint.maxTokens ?? request.maxTokens;
  const usesTools = (entry.supportsTools ?? endpoint.supportsTools) && request.tools.length > 0;
  const limit = endpoint.maxTokensField ?? (isOfficial(endpoint.baseUrl) ? 'max_completion_tokens' : 'max_tokens');
  return {
    model: entry.model ?? entry.id,
    messages: toWireMessages(request, { sendReasoning, model: entry.id }),
    stream,
    ...(stream && streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(usesTools ? { tools: request.tools.map(toWireTool) } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [limit]: maxTokens }),
    ...extraBody,
  };
}

function toWireTool({ name, description, parameters }: ModelRequest['tools'][number]) {
  return { type: 'function', function: { name, description, parameters } };
}
