import type { Completion, Model, ModelIo, ModelRequest } from '../../lib/models/model.ts';
import type { ModelInfo } from '../../lib/wire/model.ts';

/** One reply: what the model answers, or a function that plays it (streams, waits, throws). */
export type Reply =
  | Partial<Completion>
  | ((request: ModelRequest, io: ModelIo) => Promise<Partial<Completion>> | Partial<Completion>);

export interface ScriptedModel extends Model {
  /** Every request so far, oldest first. */
  readonly requests: ModelRequest[];
  /** Adds replies behind those that are left. */
  add(...replies: Reply[]): void;
}

/** A model that plays its replies in order and answers "done" when they are used up. Content is streamed word by word. */
export function scriptedModel(replies: Reply[] = [], info: Partial<ModelInfo> = {}): ScriptedModel {
  const left = [...replies];
  const requests: ModelRequest[] = [];
  return {
    info: { id: 'scripted', provider: 'test', supportsTools: true, ...info },
    requests,
    add: (...more) => void left.push(...more),
    async complete(request, io) {
      requests.push(structuredClone(request));
      const reply = left.shift() ?? { content: 'done' };
      const { content = '', toolCalls = [], ...rest } = typeof reply === 'function' ? await reply(request, io) : reply;
      if (typeof reply !== 'function') for (const word of content.match(/\S+\s*/g) ?? []) io.onDelta('text', word);
      io.signal.throwIfAborted();
      const finishReason = rest.finishReason ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop');
      return {
        usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
        ...rest,
        content,
        toolCalls,
        finishReason,
      };
    },
  };
}

/** A tool call as a reply carries it. */
export function callOf(name: string, args: Record<string, unknown> = {}, id = `call-${name}`) {
  return { id, name, arguments: args };
}
