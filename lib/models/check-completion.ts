import type { Usage } from '../wire/usage.ts';
import { type Completion, type FinishReason, ProviderError } from './model.ts';
import { isRecord, type JsonRecord } from './provider-json.ts';

const finishReasons: readonly unknown[] = [
  'stop',
  'length',
  'tool_calls',
  'content_filter',
  'error',
] satisfies FinishReason[];

/**
 * What a plugin's model resolved with, before any of it is stored. Absent `toolCalls`, or null, are none. Throws a final
 * ProviderError that names the model and the field when it is no completion (contract: protocol error). By hand, because every step
 * of every run passes here: a struct made a seventh of a step's garbage.
 */
export function checkCompletion(modelId: string, reply: unknown): Completion {
  const lacksCalls = isRecord(reply) && (reply.toolCalls ?? undefined) === undefined;
  const whole = lacksCalls ? { ...reply, toolCalls: [] } : reply;
  if (isCompletion(whole)) return whole;
  throw new ProviderError(`The model "${modelId}" answered with what is no completion: ${problemOf(whole)}.`);
}

function isCompletion(value: unknown): value is Completion {
  return problemOf(value) === undefined;
}

/** The first thing that is wrong with it. */
function problemOf(value: unknown): string | undefined {
  if (!isRecord(value)) return 'it must be an object';
  const { content, reasoning, toolCalls, usage, finishReason, meta } = value;
  if (typeof content !== 'string') return '"content" must be of type string';
  if (reasoning !== undefined && typeof reasoning !== 'string') return '"reasoning" must be of type string';
  if (!Array.isArray(toolCalls)) return '"toolCalls" must be of type array';
  for (let index = 0; index < toolCalls.length; index++) {
    const problem = callProblem(toolCalls[index]);
    if (problem !== undefined) return `"toolCalls.${index}${problem}`;
  }
  const wrongCount = usage === undefined ? undefined : usageProblem(usage);
  if (wrongCount !== undefined) return `"usage${wrongCount}`;
  if (!finishReasons.includes(finishReason)) return `"finishReason" must be one of ${finishReasons.join(', ')}`;
  return meta === undefined || isRecord(meta) ? undefined : '"meta" must be of type record';
}

/** Goes on where the path of the call ends. */
function callProblem(call: unknown): string | undefined {
  if (!isRecord(call)) return '" must be of type object';
  if (typeof call.id !== 'string') return '.id" must be of type string';
  if (typeof call.name !== 'string') return '.name" must be of type string';
  return isRecord(call.arguments) ? undefined : '.arguments" must be of type record';
}

const counts: readonly (keyof Usage)[] = ['inputTokens', 'outputTokens', 'totalTokens'];
const optionalCounts: readonly (keyof Usage)[] = ['cachedInputTokens', 'reasoningTokens'];

/** Goes on where the path of the usage ends. */
function usageProblem(usage: unknown): string | undefined {
  if (!isRecord(usage)) return '" must be of type object';
  const given = optionalCounts.filter((name) => usage[name] !== undefined);
  return [...counts, ...given].map((name) => countProblem(usage, name)).find((problem) => problem !== undefined);
}

function countProblem(usage: JsonRecord, name: string): string | undefined {
  const count = usage[name];
  if (typeof count !== 'number' || Number.isNaN(count)) return `.${name}" must be of type number`;
  if (count < 0) return `.${name}" must be at least 0`;
  // Sums of it stay numbers that JSON can carry.
  return count <= Number.MAX_SAFE_INTEGER ? undefined : `.${name}" must be at most ${Number.MAX_SAFE_INTEGER}`;
}
