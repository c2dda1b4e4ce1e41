import {
  type Completion,
  createAnswerBudget,
  type DeltaChannel,
  type EventReader,
  isRecord,
  listOf,
  type ModelIo,
  type ModelRequest,
  ProviderError,
  readToolCalls,
  recordOf,
  textOf,
  type WrittenToolCall,
} from '../../lib/plugin-api/index.ts';
import type { ThinkingBlock } from './blocks.ts';
import { streamFailure } from './failure.ts';
import { finishReasonOf } from './stop-reason.ts';
import { thinkingMeta } from './thinking.ts';
import { createUsageCounter } from './usage.ts';

/** A block that is being written; blocks of server tools, and kinds that are not known, are `other`. */
type OpenBlock =
  | { kind: 'text' | 'other' }
  | { kind: 'tool'; call: WrittenToolCall }
  | { kind: 'thinking'; block: ThinkingBlock & { type: 'thinking' } };

const mostCalls = 1_000;
const mostBlocks = 10_000;

/**
 * Reads the events of one answer: deltas go out as they come, the completion is what they came to. Throws ProviderError on
 * an error or a broken event.
 */
export interface StreamReader extends EventReader {
  /** The type of an event is in its data. */
  onEvent(data: string): boolean;
  /** The answer, once nothing more will come. Throws ProviderError when it broke off. */
  finish(): Completion;
}

/** A reader for one answer. Errors name the `provider`; signed thinking is kept for `model` alone. */
export function createStreamReader(
  provider: string,
  request: ModelRequest,
  { io, model }: { io: Pick<ModelIo, 'onDelta'>; model: string },
): StreamReader {
  let content = '';
  let reasoning = '';
  let stopReason = '';
  let ended = false;
  let blocks = 0;
  const open = new Map<unknown, OpenBlock>();
  const calls: WrittenToolCall[] = [];
  const thinking: ThinkingBlock[] = [];
  const usage = createUsageCounter();
  const spend = createAnswerBudget(provider);

  const emit = (channel: DeltaChannel, text: string): void => {
    if (text === '') return;
    spend(text, channel);
    if (channel === 'text') content += text;
    else reasoning += text;
    io.onDelta(channel, text);
  };

  const begin = (block: Record<string, unknown>): OpenBlock => {
    blocks += 1;
    if (blocks > mostBlocks) throw new ProviderError(`${provider} sent more than ${mostBlocks} blocks.`);
    if (block.type === 'text') {
      emit('text', textOf(block.text));
      return { kind: 'text' };
    }
    if (block.type === 'tool_use') {
      const given = isRecord(block.input) && Object.keys(block.input).length > 0 ? JSON.stringify(block.input) : '';
      const call = { id: textOf(block.id), name: textOf(block.name), argumentsText: given };
      spend(call.id + call.name + given, 'a tool call');
      if (calls.push(call) > mostCalls) throw new ProviderError(`${provider} sent more than ${mostCalls} tool calls.`);
      return { kind: 'tool', call };
    }
    if (block.type === 'thinking') {
      const thought = {
        type: 'thinking' as const,
        thinking: textOf(block.thinking),
        signature: textOf(block.signature),
      };
      spend(thought.signature, 'a signature');
      thinking.push(thought);
      emit('reasoning', thought.thinking);
      return { kind: 'thinking', block: thought };
    }
    if (block.type === 'redacted_thinking') {
      spend(textOf(block.data), 'redacted thinking');
      thinking.push({ type: 'redacted_thinking', data: textOf(block.data) });
    }
    return { kind: 'other' };
  };

  const sign = (block: { signature: string }, signature: string): void => {
    spend(signature, 'a signature');
    block.signature = signature;
  };

  const append = (block: OpenBlock, delta: Record<string, unknown>): void => {
    if (delta.type === 'text_delta') emit('text', textOf(delta.text));
    else if (delta.type === 'thinking_delta') {
      if (block.kind === 'thinking') block.block.thinking += textOf(delta.thinking);
      emit('reasoning', textOf(delta.thinking));
    } else if (delta.type === 'input_json_delta' && block.kind === 'tool') {
      const text = textOf(delta.partial_json);
      spend(text, 'arguments of a tool call');
      block.call.argumentsText += text;
    } else if (delta.type === 'signature_delta' && block.kind === 'thinking')
      sign(block.block, textOf(delta.signature));
  };

  const readEnd = (event: Record<string, unknown>, delta: Record<string, unknown>): void => {
    usage.add(event.usage);
    stopReason = textOf(delta.stop_reason) || stopReason;
  };

  return {
    onEvent(data) {
      const event = parseEvent(provider, data);
      if (event.type === 'content_block_delta')
        append(open.get(event.index) ?? { kind: 'other' }, recordOf(event.delta));
      else if (event.type === 'content_block_start') open.set(event.index, begin(recordOf(event.content_block)));
      else if (event.type === 'content_block_stop') open.delete(event.index);
      else if (event.type === 'message_start') usage.add(recordOf(event.message).usage);
      else if (event.type === 'message_delta') readEnd(event, recordOf(event.delta));
      else if (event.type === 'error' || isRecord(event.error)) throw streamFailure(provider, event);
      else if (event.type === 'message_stop') ended = true;
      return ended;
    },
    onDocument(value) {
      if (!isRecord(value) || !Array.isArray(value.content)) throw streamFailure(provider, value);
      for (const block of listOf(value.content)) begin(recordOf(block));
      readEnd(value, value);
      ended = true;
    },
    finish() {
      if (!ended && stopReason === '')
        throw new ProviderError(`${provider} ended the stream before the answer was complete.`, { retryable: true });
      const cutOff = finishReasonOf(stopReason, false) === 'length';
      const toolCalls = readToolCalls(calls, { cutOff, messages: request.messages });
      const counts = usage.total();
      const meta = thinkingMeta(model, thinking.filter(isSigned));
      return {
        content,
        ...(reasoning === '' ? {} : { reasoning }),
        toolCalls,
        ...(counts === undefined ? {} : { usage: counts }),
        finishReason: finishReasonOf(stopReason, toolCalls.length > 0),
        ...(meta === undefined ? {} : { meta }),
      };
    },
  };
}

function isSigned(block: ThinkingBlock): boolean {
  return block.type === 'thinking' ? block.signature !== '' : block.data !== '';
}

function parseEvent(provider: string, data: string): Record<string, unknown> {
  try {
    return recordOf(JSON.parse(data));
  } catch {
    throw new ProviderError(`${provider} sent an event that is not JSON: ${data.slice(0, 200)}`);
  }
}
