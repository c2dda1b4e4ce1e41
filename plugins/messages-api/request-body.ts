import {
  createListEncoder,
  type JsonRecord,
  type ModelEntry,
  type ModelRequest,
  objectBytes,
  wireToolName,
} from '../../lib/plugin-api/index.ts';
import { plain, toWireMessages, type WireMessage, withContent } from './messages.ts';
import type { Endpoint } from './options.ts';
import { canThink } from './thinking.ts';

const defaultMaxTokens = 4_096;

/**
 * Makes the bodies of a model's calls, as UTF-8 JSON. Options of the model beat options of the endpoint, which beat what
 * the request asks for.
 */
export function createRequestBody(endpoint: Endpoint, entry: ModelEntry): (request: ModelRequest) => Uint8Array {
  const toolsJson = createListEncoder(toWireTool);
  const offersTools = entry.supportsTools ?? endpoint.supportsTools;
  return (request) => {
    const fields = fieldsOf(endpoint, entry, request);
    if (offersTools && request.tools.length > 0) return objectBytes(fields, { tools: toolsJson(request.tools) });
    return objectBytes({ ...pastTools(request), ...fields }, {});
  };
}

function fieldsOf(endpoint: Endpoint, entry: ModelEntry, request: ModelRequest): JsonRecord {
  const { thinkingBudget: budget, cache, stream, extraBody } = endpoint;
  const history = withContent(request.messages);
  const mayThink = canThink(history, entry.id);
  const thinks = budget !== undefined && mayThink;
  // Other forms of thinking than the budget's come through `extraBody`; they get their blocks back all the same.
  const wantsThoughts = thinks || (extraBody.thinking !== undefined && mayThink);
  const temperature = entry.temperature ?? endpoint.temperature ?? request.temperature;
  const maxTokens = entry.maxTokens ?? endpoint.maxTokens ?? request.maxTokens ?? defaultMaxTokens;
  const messages = toWireMessages(history, wantsThoughts ? entry.id : undefined);
  if (cache) markForCache(messages);
  return {
    model: entry.model ?? entry.id,
    // The limit covers the thinking: one that leaves nothing for the answer is meant for the answer alone.
    max_tokens: thinks && maxTokens <= budget ? budget + maxTokens : maxTokens,
    ...(request.system.trim() === ''
      ? {}
      : { system: cache ? [cached({ type: 'text', text: request.system })] : request.system }),
    messages: messages.map(plain),
    stream,
    ...(thinks ? { thinking: { type: 'enabled', budget_tokens: budget } } : {}),
    ...(temperature === undefined || wantsThoughts ? {} : { temperature: Math.min(temperature, 1) }),
    ...extraBody,
  };
}

/** The API demands declarations when the history holds calls; tools that are not offered are declared but not allowed. */
function pastTools({ messages }: ModelRequest): JsonRecord {
  const past = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const names = [...new Set(past.map(({ name }) => wireToolName(name)))];
  if (names.length === 0) return {};
  const declared = names.map((name) => ({
    name,
    description: 'No longer available.',
    input_schema: { type: 'object' },
  }));
  return { tools: declared, tool_choice: { type: 'none' } };
}

function toWireTool({ name, description, parameters }: ModelRequest['tools'][number]) {
  return { name, description, input_schema: { type: 'object', ...parameters } };
}

function markForCache(messages: WireMessage[]): void {
  const content = messages.at(-1)?.content ?? [];
  const last = content.pop();
  if (last !== undefined) content.push(cached(last));
}

function cached<B extends object>(block: B): B & { cache_control: { type: 'ephemeral' } } {
  return { ...block, cache_control: { type: 'ephemeral' } };
}
