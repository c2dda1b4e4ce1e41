import { randomUUID } from 'node:crypto';
import { type ModelMessage, type ModelToolCall, ProviderError } from './model.ts';
import { isRecord, parseJson } from './provider-json.ts';

/** A tool call as it arrived: the arguments are the text that the model wrote. */
export interface WrittenToolCall {
  /** Empty when the provider gave none. */
  id: string;
  name: string;
  argumentsText: string;
}

/**
 * The calls as the runtime wants them. Arguments that are no JSON object, or that the token limit cut off, become a
 * `problem` and are never guessed. Ids are made unique among themselves and against the calls of the request.
 */
export function readToolCalls(
  written: readonly WrittenToolCall[],
  { cutOff, messages }: { cutOff: boolean; messages: readonly ModelMessage[] },
): ModelToolCall[] {
  if (written.length === 0) return [];
  const taken = new Set(
    messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : [])).map(idOf),
  );
  return written.map(({ id, name, argumentsText }) => {
    const unique = uniqueId(id, taken);
    taken.add(unique);
    return { id: unique, name, ...readArguments(argumentsText, cutOff) };
  });
}

/** Nothing and `null` mean no arguments, unless the token limit may have cut them off. */
function readArguments(text: string, cutOff: boolean): { arguments: Record<string, unknown>; problem?: string } {
  const blank = text.trim() === '';
  if (!blank || cutOff) {
    const value = parseJson(text);
    if (isRecord(value)) return { arguments: value };
    if (cutOff) return { arguments: {}, problem: 'The arguments were cut off by the token limit of the answer.' };
    if (value === undefined) return { arguments: {}, problem: `The arguments are not valid JSON: ${excerpt(text)}` };
    if (value !== null) return { arguments: {}, problem: `The arguments are not a JSON object: ${excerpt(text)}` };
  }
  return { arguments: {} };
}

/** A tool name as every provider accepts it: models make names up, and a history that holds one must stay sendable. */
export function wireToolName(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown_tool';
}

/** Counts what one answer may hold, in characters; a model that goes on for ever meets it. Throws ProviderError. */
export function createAnswerBudget(
  provider: string,
  mostChars = 16 * 1024 * 1024,
): (text: string, what: string) => void {
  let chars = 0;
  return (text, what) => {
    chars += text.length;
    if (chars > mostChars)
      throw new ProviderError(`${provider} sent more than ${mostChars} characters in one answer (${what}).`);
  };
}

function uniqueId(id: string, taken: ReadonlySet<string>): string {
  if (id !== '' && !taken.has(id)) return id;
  const suffix = randomUUID().slice(0, 8);
  return id === '' ? `call_${suffix}${randomUUID().slice(0, 4)}` : `${id.slice(0, 31)}_${suffix}`;
}

function idOf({ id }: { id: string }): string {
  return id;
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}
