import {
  type Fields,
  isFields,
  isImageDataUrl,
  isText,
  RequestProblem,
  requireNames,
  toolName,
} from './check-fields.ts';

const known = new Set(
  `model messages tools tool_choice parallel_tool_calls stream stream_options temperature top_p n stop seed user metadata
  max_tokens max_completion_tokens presence_penalty frequency_penalty logit_bias logprobs top_logprobs response_format
  reasoning_effort service_tier store modalities prediction verbosity prompt_cache_key safety_identifier`.split(/\s+/),
);

/** Throws a RequestProblem where the chat-completions API would answer 400. */
export function checkChatRequest(body: Fields): void {
  for (const key of Object.keys(body))
    if (!known.has(key)) throw new RequestProblem(`Unrecognized request argument supplied: ${key}`, key);
  if (!isText(body.model)) throw new RequestProblem('you must provide a model parameter', 'model');
  if (body.stream_options !== undefined && body.stream !== true)
    throw new RequestProblem(
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
      'stream_options',
    );
  checkNumber(body, 'temperature', 0, 2);
  for (const key of ['max_tokens', 'max_completion_tokens']) {
    checkNumber(body, key, 1, Number.MAX_SAFE_INTEGER);
    if (body[key] !== undefined && !Number.isInteger(body[key]))
      throw new RequestProblem(`Invalid type for '${key}': expected an integer.`, key);
  }
  checkTools(body);
  checkMessages(body.messages);
}

function checkTools(body: Fields): void {
  if (body.tools === undefined) {
    if (body.tool_choice !== undefined)
      throw new RequestProblem(
        "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
      );
    return;
  }
  if (!Array.isArray(body.tools) || body.tools.length === 0)
    throw new RequestProblem("Invalid 'tools': empty array. Expected an array with minimum length 1.", 'tools');
  if (body.tools.length > 128) throw new RequestProblem("Invalid 'tools': array too long (maximum 128).", 'tools');
  const functions = body.tools.map((tool: unknown, at) => {
    if (!isFields(tool) || tool.type !== 'function' || !isFields(tool.function))
      throw new RequestProblem(`Invalid 'tools[${at}]': expected {type: 'function', function}.`, `tools[${at}]`);
    return tool.function;
  });
  requireNames(functions, { path: 'tools', nameOf: (entry) => entry.name });
  for (const [at, { parameters }] of functions.entries())
    if (parameters !== undefined && (!isFields(parameters) || parameters.type !== 'object'))
      throw new RequestProblem(
        `Invalid schema for function '${functions[at]?.name}': schema must be a JSON Schema of 'type: "object"'.`,
        `tools[${at}].function.parameters`,
      );
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RequestProblem("Invalid 'messages': empty array. Expected an array with minimum length 1.", 'messages');
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const path = `messages[${at}]`;
    if (!isFields(message)) throw new RequestProblem(`Invalid type for '${path}': expected an object.`, path);
    if (message.role === 'tool') {
      const id = message.tool_call_id;
      if (!isText(id)) throw new RequestProblem(`Missing required parameter: '${path}.tool_call_id'.`, path);
      if (!open.delete(id))
        throw new RequestProblem(
          `Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls' (${id}).`,
          `${path}.role`,
        );
      checkContent(message.content, { path, types: ['text'] });
      continue;
    }
    requireAnswered(open, path);
    if (message.role === 'assistant') open = checkAssistant(message, path);
    else if (message.role === 'user') checkContent(message.content, { path, types: ['text', 'image_url'] });
    else if (message.role === 'system' || message.role === 'developer')
      checkContent(message.content, { path, types: ['text'] });
    else throw new RequestProblem(`Invalid value: '${String(message.role)}' for '${path}.role'.`, `${path}.role`);
  }
  requireAnswered(open, `messages[${messages.length}]`);
}

function requireAnswered(open: Set<string>, path: string): void {
  if (open.size === 0) return;
  throw new RequestProblem(
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
      `The following tool_call_ids did not have response messages: ${[...open].join(', ')}`,
    path,
  );
}

/** The ids that the next messages must answer. Vendors' `reasoning` fields are let through, as their servers demand them. */
function checkAssistant(message: Fields, path: string): Set<string> {
  const allowed = ['role', 'content', 'tool_calls', 'name', 'refusal', 'reasoning_content', 'reasoning'];
  for (const key of Object.keys(message))
    if (!allowed.includes(key))
      throw new RequestProblem(`Additional properties are not allowed ('${key}' was unexpected) - '${path}'`, path);
  const calls = message.tool_calls;
  if (message.content !== undefined && message.content !== null)
    checkContent(message.content, { path, types: ['text', 'refusal'] });
  else if (calls === undefined)
    throw new RequestProblem(`Invalid value for 'content': expected a string, got null.`, `${path}.content`);
  if (calls === undefined) return new Set();
  if (!Array.isArray(calls) || calls.length === 0)
    throw new RequestProblem(`Invalid '${path}.tool_calls': empty array. Expected minimum length 1.`, path);
  const ids = new Set<string>();
  for (const [at, call] of calls.entries()) {
    const where = `${path}.tool_calls[${at}]`;
    if (!isFields(call) || call.type !== 'function' || !isFields(call.function))
      throw new RequestProblem(`Invalid '${where}': expected {id, type: 'function', function}.`, where);
    if (!isText(call.id)) throw new RequestProblem(`Missing required parameter: '${where}.id'.`, where);
    if (ids.has(call.id)) throw new RequestProblem(`Duplicate value for '${where}.id': ${call.id}`, where);
    if (typeof call.function.name !== 'string' || !toolName.test(call.function.name))
      throw new RequestProblem(`Invalid '${where}.function.name': string does not match pattern.`, where);
    if (typeof call.function.arguments !== 'string')
      throw new RequestProblem(`Invalid type for '${where}.function.arguments': expected a string.`, where);
    ids.add(call.id);
  }
  return ids;
}

function checkContent(content: unknown, { path, types }: { path: string; types: string[] }): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content) || content.length === 0)
    throw new RequestProblem(
      `Invalid type for '${path}.content': expected one of a string or a non-empty array of objects.`,
      `${path}.content`,
    );
  for (const [at, part] of content.entries()) {
    const where = `${path}.content[${at}]`;
    const type = isFields(part) ? String(part.type) : typeof part;
    if (!isFields(part) || !types.includes(type))
      throw new RequestProblem(`Invalid value: '${type}'. Supported values are: ${types.join(', ')}.`, where);
    if (type === 'text' && typeof part.text !== 'string')
      throw new RequestProblem(`Missing required parameter: '${where}.text'.`, where);
    if (type === 'image_url' && !(isFields(part.image_url) && isImageDataUrl(part.image_url.url)))
      throw new RequestProblem(
        `Invalid image_url at '${where}': expected a URL or base64 data of a known type.`,
        where,
      );
  }
}

function checkNumber(body: Fields, key: string, min: number, max: number): void {
  const value = body[key];
  if (value === undefined) return;
  if (typeof value !== 'number') throw new RequestProblem(`Invalid type for '${key}': expected a number.`, key);
  if (value < min || value > max) throw new RequestProblem(`Invalid '${key}': must be from ${min} to ${max}.`, key);
}
