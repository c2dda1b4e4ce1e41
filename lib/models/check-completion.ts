import { array, enums, is, min, number, optional, record, string, type, unknown, validate } from 'superstruct';
import { type Completion, type FinishReason, ProviderError } from './model.ts';

const Count = min(number(), 0);

const finishReasons: FinishReason[] = ['stop', 'length', 'tool_calls', 'content_filter', 'error'];

const Reply = type({
  content: string(),
  reasoning: optional(string()),
  toolCalls: array(type({ id: string(), name: string(), arguments: record(string(), unknown()) })),
  usage: optional(type({ inputTokens: Count, outputTokens: Count, totalTokens: Count })),
  finishReason: enums(finishReasons),
  meta: optional(record(string(), unknown())),
});

/**
 * What a plugin's model resolved with, before any of it is stored. Absent `toolCalls` are none. Throws a final
 * ProviderError that names the model and the field when it is no completion (contract: protocol error).
 */
export function checkCompletion(modelId: string, reply: unknown): Completion {
  const whole = isObject(reply) ? { ...reply, toolCalls: reply.toolCalls ?? [] } : reply;
  if (isCompletion(whole)) return whole;
  throw new ProviderError(`The model "${modelId}" answered with what is no completion: ${problemOf(whole)}.`);
}

function isCompletion(value: unknown): value is Completion {
  return is(value, Reply);
}

function problemOf(value: unknown): string {
  const [failure] = validate(value, Reply);
  if (!failure || failure.path.length === 0) return 'it must be an object';
  const field = failure.path.join('.');
  if (field === 'finishReason') return `"finishReason" must be one of ${finishReasons.join(', ')}`;
  return `"${field}" must be ${failure.refinement === undefined ? `of type ${failure.type}` : 'at least 0'}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
