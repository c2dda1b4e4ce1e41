import type { ModelMessage, ModelRequest } from '../models/model.ts';
import { loadImages } from '../session/wire-message.ts';
import { limits } from '../wire/limits.ts';
import type { ImageAttachment, ImageRef, StoredMessage, ToolCall } from '../wire/message.ts';
import type { ToolSchema } from '../wire/tool.ts';
import { requestProblem } from './request-problem.ts';
import type { Run } from './run.ts';
import { systemPromptOf } from './system-prompt.ts';
import { cutText } from './tool-text.ts';
import { noResult } from './unanswered.ts';

/** Image bytes (decoded) that one request carries at most; the oldest beyond it become a line of text. */
const imageBytesPerRequest = 16 * 1024 * 1024;

/** What the model is asked: the whole conversation, valid whatever happened to it before (DECISIONS.md, What a model is sent). */
export async function buildRequest(run: Run): Promise<ModelRequest> {
  const { session, around } = run;
  const kept = keptImages(session.messages);
  const messages: ModelMessage[] = [];
  for (const message of pairedMessages(session.messages, (what) => noteRepair(run, what)))
    messages.push(message.images ? await withImages(run, message, kept) : toModelMessage(message, message.content));
  const problem = requestProblem(messages);
  if (problem !== undefined) throw new Error(`The conversation cannot be sent to a model: ${problem}. Rewind it.`);
  const { temperature, maxTokens } = around.config.model;
  return {
    sessionId: session.id,
    system: await systemPromptOf(run),
    messages,
    tools: offeredTools(run),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxTokens }),
  };
}

/** The tools that a run tells its model about. */
export function offeredTools(run: Run): readonly ToolSchema[] {
  if (!run.model.info.supportsTools) return [];
  const { toolNames } = run.limits;
  const schemas = run.around.tools.schemas();
  return toolNames ? schemas.filter(({ name }) => toolNames.has(name)) : schemas;
}

/**
 * The transcript with every tool call followed directly by exactly one result: a missing one is made up as an error,
 * a second or stray one is left out. System messages and empty assistant messages are left out too.
 */
export function pairedMessages(
  messages: readonly StoredMessage[],
  onRepair: (what: string) => void = () => undefined,
): StoredMessage[] {
  const paired: StoredMessage[] = [];
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index];
    if (message?.role === 'tool') onRepair(`a result without its call was left out (${message.id})`);
    if (!message || message.role === 'system' || message.role === 'tool') continue;
    if (message.role === 'user') paired.push(message);
    if (message.role !== 'assistant') continue;
    const calls = message.toolCalls ?? [];
    if (calls.length === 0 && message.content === '') continue;
    paired.push(message);
    const only = onlyResult(messages, index, calls);
    if (only) {
      paired.push(only);
      index++;
      continue;
    }
    const results = new Map<string, StoredMessage>();
    for (let next = messages[index + 1]; next?.role === 'tool'; next = messages[index + 1]) {
      const isAsked = calls.some(({ id }) => id === next?.toolCallId);
      if (isAsked && next.toolCallId !== undefined && !results.has(next.toolCallId)) results.set(next.toolCallId, next);
      else onRepair(`a result without its call was left out (${next.id})`);
      index++;
    }
    for (const call of calls) {
      const result = results.get(call.id);
      if (!result) onRepair(`a call without a result got one (${message.id})`);
      paired.push(result ?? noResult(message, call));
    }
  }
  return paired;
}

/** The one result of the one call of the message at `index`, which is how nearly every step looks. */
function onlyResult(
  messages: readonly StoredMessage[],
  index: number,
  calls: readonly ToolCall[],
): StoredMessage | undefined {
  const next = messages[index + 1];
  if (calls.length !== 1 || next?.role !== 'tool' || next.toolCallId !== calls[0]?.id) return undefined;
  return messages[index + 2]?.role === 'tool' ? undefined : next;
}

/** Once per run: such a transcript was damaged, or left by a run that ended in an unforeseen way. */
function noteRepair(run: Run, what: string): void {
  if (!run.repairNoted)
    run.around.log.warn(`A transcript was repaired for the model: ${what}.`, { sessionId: run.session.id });
  run.repairNoted = true;
}

/** Without spreads: every message passes here for every model call. */
function toModelMessage(message: StoredMessage, text: string, images?: ImageAttachment[]): ModelMessage {
  if (message.role === 'assistant') {
    const { reasoning, toolCalls = [], meta } = message;
    const said: ModelMessage = { role: 'assistant', content: text, toolCalls };
    if (reasoning !== undefined) said.reasoning = reasoning;
    if (meta) said.meta = meta;
    return said;
  }
  const { toolCallId: callId = '', toolName: name = '', isError = false } = message;
  const given: Exclude<ModelMessage, { role: 'assistant' }> =
    message.role === 'tool'
      ? { role: 'tool', callId, name, content: cutText(text, limits.toolResultModelChars), isError }
      : { role: 'user', content: text };
  if (images && images.length > 0) given.images = images;
  return given;
}

async function withImages(run: Run, message: StoredMessage, kept: ReadonlySet<ImageRef>): Promise<ModelMessage> {
  const refs = (message.images ?? []).filter((image) => kept.has(image));
  const images = await loadImages(run.around.store, run.session, refs);
  const lost = (message.images?.length ?? 0) - images.length;
  const marker =
    lost === 0
      ? ''
      : `[${lost === 1 ? 'An image' : `${lost} images`} of this message left out to keep the request small]`;
  return toModelMessage(message, [message.content, marker].filter(Boolean).join('\n\n'), images);
}

function keptImages(messages: readonly StoredMessage[]): Set<ImageRef> {
  const kept = new Set<ImageRef>();
  let bytes = 0;
  for (let index = messages.length - 1; index >= 0; index--) {
    const images = messages[index]?.images;
    if (!images) continue;
    for (const image of images) {
      bytes += image.bytes;
      if (bytes <= imageBytesPerRequest) kept.add(image);
    }
  }
  return kept;
}
