import {
  createListEncoder,
  type JsonRecord,
  type ModelEntry,
  type ModelRequest,
  objectBytes,
} from '../../lib/plugin-api/index.ts';
import { toWireMessages } from './messages.ts';
import { type Endpoint, isOfficial } from './options.ts';

/**
 * Makes the bodies of a model's calls, as UTF-8 JSON. Options of the model beat options of the endpoint, which beat what
 * the request asks for.
 */
export function createRequestBody(endpoint: Endpoint, entry: ModelEntry): (request: ModelRequest) => Uint8Array {
  const toolsJson = createListEncoder(toWireTool);
  const offersTools = entry.supportsTools ?? endpoint.supportsTools;
  const maxTokensField =
    endpoint.maxTokensField ?? (isOfficial(endpoint.baseUrl) ? 'max_completion_tokens' : 'max_tokens');
  return (request) => {
    const usesTools = offersTools && request.tools.length > 0;
    const fields = fieldsOf({ ...endpoint, maxTokensField }, entry, request);
    return objectBytes(fields, usesTools ? { tools: toolsJson(request.tools) } : {});
  };
}

function fieldsOf(
  endpoint: Endpoint & { maxTokensField: string },
  entry: ModelEntry,
  request: ModelRequest,
): JsonRecord {
  const { stream, streamUsage, sendReasoning, maxTokensField, extraBody } = endpoint;
  const temperature = entry.temperature ?? endpoint.temperature ?? request.temperature;
  const maxTokens = entry.maxTokens ?? endpoint.maxTokens ?? request.maxTokens;
  return {
    model: entry.model ?? entry.id,
    messages: toWireMessages(request, { sendReasoning, model: entry.id }),
    stream,
    ...(stream && streamUsage ? { stream_options: { include_usage: true } } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { [maxTokensField]: maxTokens }),
    ...extraBody,
  };
}

function toWireTool({ name, description, parameters }: ModelRequest['tools'][number]) {
  return { type: 'function', function: { name, description, parameters } };
}
