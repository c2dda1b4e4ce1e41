import {
  type Completion,
  createAnswerBudget,
  type DeltaChannel,
  type EventReader,
  errorText,
  isRecord,
  isRetryableStatus,
  listOf,
  type ModelIo,
  type ModelRequest,
  ProviderError,
  readToolCalls,
  recordOf,
  textOf,
  type Usage,
} from '../../lib/plugin-api/index.ts';
import { finishReasonOf } from './finish-reason.ts';
import { createDetailCollector, type KeptParts, keptMeta } from './kept-parts.ts';
import { contentParts, reasoningOf } from './reasoning.ts';
import { createThinkTags } from './think-tags.ts';
import { type AssembledCall, createToolCallAssembler } from './tool-calls.ts';
import { usageOf } from './usage.ts';

/**
 * Reads the chunks of one answer: deltas go out as they come, the completion is what they came to. Throws ProviderError on
 * an error or a broken chunk.
 */
export interface StreamReader extends EventReader {
  /** The answer, once nothing more will come. Throws ProviderError when it broke off. */
  finish(): Completion;
}

/** A reader for one answer. Errors name the `provider`; what a server signed is kept for `model` alone. */
export function createStreamReader(
  provider: string,
  request: ModelRequest,
  { io, model, thinkTags }: { io: Pick<ModelIo, 'onDelta'>; model: string; thinkTags: boolean },
): StreamReader {
  let content = '';
  let reasoning = '';
  let stopReason = '';
  let refused = false;
  let hasEnded = false;
  let usage: Usage | undefined;
  const spend = createAnswerBudget(provider);
  const details = createDetailCollector();
  const tools = createToolCallAssembler((text) => spend(text, 'arguments of a tool call'));

  const emit = (channel: DeltaChannel, text: string): void => {
    if (text === '') return;
    spend(text, channel);
    if (channel === 'text') content += text;
    else reasoning += text;
    io.onDelta(channel, text);
  };
  const tags = thinkTags ? createThinkTags(emit) : undefined;
  const emitText = (text: string): void => (tags === undefined ? emit('text', text) : tags.write(text));

  const readDelta = (delta: Record<string, unknown>): void => {
    emit('reasoning', reasoningOf(delta));
    if (delta.reasoning_details) details.add(delta.reasoning_details);
    if (typeof delta.content === 'string') emitText(delta.content);
    else if (Array.isArray(delta.content))
      for (const part of contentParts(delta.content))
        if (part.channel === 'text') emitText(part.text);
        else emit('reasoning', part.text);
    if (typeof delta.refusal === 'string' && delta.refusal !== '') {
      refused = true;
      emit('text', delta.refusal);
    }
    if (Array.isArray(delta.tool_calls)) for (const fragment of delta.tool_calls) tools.add(fragment);
    else if (isRecord(delta.function_call)) tools.add({ index: 0, function: delta.function_call });
  };

  const readChunk = (chunk: unknown, name: string | undefined): void => {
    if (!isRecord(chunk)) throw new ProviderError(`${provider} sent a chunk that is no JSON object.`);
    const choices = listOf(chunk.choices);
    const choice = recordOf(choices[0]);
    readDelta(recordOf(choice.delta ?? choice.message));
    if (typeof choice.finish_reason === 'string' && choice.finish_reason !== '') stopReason = choice.finish_reason;
    const counts = usageOf(chunk, choice);
    usage = counts ?? usage;
    // Token counts without a choice come last, also from servers that never say why the answer ended.
    if (counts !== undefined && choices.length === 0) hasEnded = true;
    const failure = name === 'error' || chunk.object === 'error' ? chunk : (chunk.error ?? choice.error);
    if (isFailure(failure)) throw streamFailure(provider, failure);
  };

  return {
    onEvent(data, name) {
      if (data.startsWith('[DONE]')) {
        hasEnded = true;
        return true;
      }
      if (data !== '') readChunk(parseChunk(provider, data), name);
      return false;
    },
    onDocument(value) {
      if (!isRecord(value) || !Array.isArray(value.choices)) throw streamFailure(provider, value);
      readChunk(value, undefined);
      hasEnded = true;
    },
    finish() {
      tags?.end();
      if (!hasEnded && stopReason === '')
        throw new ProviderError(`${provider} ended the stream before the answer was complete.`, { retryable: true });
      const cutOff = stopReason !== '' && finishReasonOf(stopReason, false) === 'length';
      const toolCalls = readToolCalls(tools.calls, { cutOff, messages: request.messages });
      const meta = keptMeta(model, { reasoningDetails: details.kept(), callExtras: extrasOf(tools.calls, toolCalls) });
      return {
        content,
        ...(reasoning === '' ? {} : { reasoning }),
        toolCalls,
        ...(usage === undefined ? {} : { usage }),
        finishReason: refused ? 'content_filter' : finishReasonOf(stopReason, toolCalls.length > 0),
        ...(meta === undefined ? {} : { meta }),
      };
    },
  };
}

function extrasOf(written: readonly AssembledCall[], calls: readonly { id: string }[]): KeptParts['callExtras'] {
  // The ids are the server's: whatever they are called, they become keys.
  return Object.fromEntries(
    calls.flatMap(({ id }, index) => {
      const extra = written[index]?.extra;
      return extra === undefined ? [] : [[id, extra]];
    }),
  );
}

function parseChunk(provider: string, data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new ProviderError(`${provider} sent a chunk that is not JSON: ${data.slice(0, 200)}`);
  }
}

/** Some servers send an empty `error` with every chunk. */
function isFailure(value: unknown): boolean {
  return isRecord(value) ? Object.keys(value).length > 0 : Boolean(value);
}

/** An error object inside an answer with status 200. */
function streamFailure(provider: string, failure: unknown): ProviderError {
  const { code, status, type } = recordOf(isRecord(failure) && isRecord(failure.error) ? failure.error : failure);
  const number = Number(code ?? status);
  const passing = /overload|rate.?limit|server_error|timeout|unavailable/i.test(`${textOf(type)} ${textOf(code)}`);
  return new ProviderError(`${provider}: ${errorText(failure) || 'the answer is an error without a message'}`, {
    retryable: passing || isRetryableStatus(number),
    ...(number >= 100 && number < 600 ? { status: number } : {}),
  });
}
