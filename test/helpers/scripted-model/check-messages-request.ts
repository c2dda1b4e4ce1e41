import { type Fields, isBase64, isFields, isImageType, isText, RequestProblem, requireNames } from './check-fields.ts';
import { signatureOf } from './messages-reply.ts';

const known = new Set(
  `model messages max_tokens system tools tool_choice stream temperature top_p top_k stop_sequences metadata thinking
  service_tier container context_management mcp_servers output_config cache_control`.split(/\s+/),
);

/** Throws a RequestProblem where the messages API would answer 400. `signatures` are those that scripts set themselves. */
export function checkMessagesRequest(body: Fields, signatures: ReadonlySet<string>): void {
  for (const key of Object.keys(body))
    if (!known.has(key)) throw new RequestProblem(`${key}: Extra inputs are not permitted`);
  if (!isText(body.model)) throw new RequestProblem('model: Field required');
  if (body.max_tokens === undefined) throw new RequestProblem('max_tokens: Field required');
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1)
    throw new RequestProblem('max_tokens: Input should be an integer greater than or equal to 1');
  if (body.temperature !== undefined && !inRange(body.temperature, 0, 1))
    throw new RequestProblem('temperature: range: 0..1');
  if (body.system !== undefined && typeof body.system !== 'string')
    checkBlocks(body.system, { path: 'system', allowed: ['text'] });
  const hasTools = checkTools(body.tools);
  checkThinking(body);
  checkConversation(body, { hasTools, signatures });
}

function checkTools(tools: unknown): boolean {
  if (tools === undefined) return false;
  if (!Array.isArray(tools)) throw new RequestProblem('tools: Input should be a valid list');
  const entries = tools.map((tool: unknown, at) => {
    if (!isFields(tool)) throw new RequestProblem(`tools.${at}: Input should be an object`);
    if (!isFields(tool.input_schema) || tool.input_schema.type !== 'object')
      throw new RequestProblem(`tools.${at}.custom.input_schema.type: Input should be 'object'`);
    return tool;
  });
  requireNames(entries, { path: 'tools', nameOf: (tool) => tool.name });
  return entries.length > 0;
}

function checkThinking(body: Fields): void {
  if (!thinks(body)) return;
  const budget = isFields(body.thinking) ? body.thinking.budget_tokens : undefined;
  if (!Number.isInteger(budget) || Number(budget) < 1024)
    throw new RequestProblem('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
  if (Number(budget) >= Number(body.max_tokens))
    throw new RequestProblem('`max_tokens` must be greater than `thinking.budget_tokens`');
  if (body.temperature !== undefined && body.temperature !== 1)
    throw new RequestProblem('`temperature` may only be set to 1 when thinking is enabled');
}

function checkConversation(body: Fields, rules: { hasTools: boolean; signatures: ReadonlySet<string> }): void {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new RequestProblem('messages: at least one message is required');
  const ids = new Set<string>();
  let open: string[] = [];
  let before: unknown;
  for (const [at, message] of messages.entries()) {
    const path = `messages.${at}`;
    if (!isFields(message)) throw new RequestProblem(`${path}: Input should be an object`);
    const { role, content } = message;
    if (role !== 'user' && role !== 'assistant')
      throw new RequestProblem(
        `${path}.role: Input should be 'user' or 'assistant' (system goes in the top-level field)`,
      );
    if (at === 0 && role !== 'user') throw new RequestProblem('messages: first message must use the "user" role');
    if (role === before)
      throw new RequestProblem(`messages: roles must alternate, but found multiple "${role}" roles in a row (${path})`);
    before = role;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    const allowed = role === 'user' ? ['text', 'image', 'tool_result', 'document'] : assistantBlocks;
    checkBlocks(blocks, { path: `${path}.content`, allowed });
    const list = Array.isArray(blocks) ? blocks.filter(isFields) : [];
    if (role === 'user') {
      checkResults(list, { path, open });
      open = [];
    } else {
      open = checkCalls(list, { path, ids });
      checkThoughts(list, { path, signatures: rules.signatures });
      const last = messages.slice(at).every((later) => !isFields(later) || !startsTurn(later));
      if (last && thinks(body) && open.length > 0 && !String(list[0]?.type).endsWith('thinking'))
        throw new RequestProblem(
          `${path}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`text\``,
        );
    }
    if (!rules.hasTools && list.some(({ type }) => type === 'tool_use' || type === 'tool_result'))
      throw new RequestProblem('Requests which include `tool_use` or `tool_result` blocks must define tools');
  }
  if (open.length > 0) throw unanswered(open, `messages.${messages.length - 1}`);
}

const assistantBlocks = ['text', 'tool_use', 'thinking', 'redacted_thinking'];

/** A user message that is not only the results of the turn before it. */
function startsTurn(message: Fields): boolean {
  if (message.role !== 'user') return false;
  if (!Array.isArray(message.content)) return true;
  return !message.content.some((block) => isFields(block) && block.type === 'tool_result');
}

function checkCalls(blocks: Fields[], { path, ids }: { path: string; ids: Set<string> }): string[] {
  return blocks.flatMap((block, at) => {
    if (block.type !== 'tool_use') return [];
    const where = `${path}.content.${at}.tool_use`;
    if (typeof block.id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(block.id))
      throw new RequestProblem(`${where}.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    if (ids.has(block.id)) throw new RequestProblem(`messages: \`tool_use\` ids must be unique (${block.id})`);
    ids.add(block.id);
    requireNames([block], { path: where, nameOf: ({ name }) => name });
    if (!isFields(block.input)) throw new RequestProblem(`${where}.input: Input should be a valid dictionary`);
    return [block.id];
  });
}

function checkResults(blocks: Fields[], { path, open }: { path: string; open: string[] }): void {
  const left = new Set(open);
  let ended = false;
  for (const block of blocks) {
    if (block.type !== 'tool_result') {
      ended = true;
      continue;
    }
    const id = String(block.tool_use_id);
    if (!left.delete(id))
      throw new RequestProblem(`${path}: unexpected \`tool_use_id\` in \`tool_result\` blocks: ${id}. Each one must have a
 corresponding \`tool_use\` block in the previous message, once.`);
    if (ended) throw unanswered([id], path);
    if (block.is_error === true && (block.content === undefined || block.content === ''))
      throw new RequestProblem(`${path}: content cannot be empty if \`is_error\` is true`);
    if (block.content !== undefined && typeof block.content !== 'string')
      checkBlocks(block.content, { path: `${path}.tool_result.content`, allowed: ['text', 'image'] });
  }
  if (left.size > 0) throw unanswered([...left], path);
}

function unanswered(ids: string[], path: string): RequestProblem {
  return new RequestProblem(
    `${path}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}`,
  );
}

function checkThoughts(
  blocks: Fields[],
  { path, signatures }: { path: string; signatures: ReadonlySet<string> },
): void {
  for (const [at, block] of blocks.entries()) {
    if (block.type === 'redacted_thinking' && !isText(block.data))
      throw new RequestProblem(`${path}.content.${at}.redacted_thinking.data: Field required`);
    if (block.type !== 'thinking') continue;
    const { thinking, signature } = block;
    const genuine =
      isText(signature) &&
      (signatures.has(signature) || (typeof thinking === 'string' && signature === signatureOf(thinking)));
    if (!genuine) throw new RequestProblem(`${path}.content.${at}: Invalid \`signature\` in \`thinking\` block`);
  }
}

function checkBlocks(blocks: unknown, { path, allowed }: { path: string; allowed: string[] }): void {
  if (!Array.isArray(blocks) || blocks.length === 0)
    throw new RequestProblem(`${path}: all messages must have non-empty content`);
  for (const [at, block] of blocks.entries()) {
    const type = isFields(block) ? String(block.type) : typeof block;
    if (!isFields(block) || !allowed.includes(type))
      throw new RequestProblem(`${path}.${at}: Input tag '${type}' does not match any of: ${allowed.join(', ')}`);
    if (type === 'text' && !(typeof block.text === 'string' && block.text.trim() !== ''))
      throw new RequestProblem(`${path}.${at}: text content blocks must contain non-whitespace text`);
    if (type === 'image') checkImage(block.source, `${path}.${at}`);
  }
}

function checkImage(source: unknown, path: string): void {
  if (isFields(source) && source.type === 'url' && isText(source.url)) return;
  const sound = isFields(source) && source.type === 'base64' && isImageType(source.media_type) && isBase64(source.data);
  if (!sound) throw new RequestProblem(`${path}.image.source: expected base64 data with one of the four media types`);
}

function thinks(body: Fields): boolean {
  return isFields(body.thinking) && body.thinking.type === 'enabled';
}

function inRange(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
