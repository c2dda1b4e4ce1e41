import { argumentParts, findFinish, findUsage, pieces, type Reply, type ScriptedUsage, type Step } from './script.ts';

/** The events of a chat-completions stream. One instance per answer: tool calls are counted. */
export function createChatEncoder(reply: Reply, request: { model: string; includeUsage: boolean; id: string }) {
  const base = { id: request.id, object: 'chat.completion.chunk', created: 1_700_000_000, model: request.model };
  let calls = 0;
  const chunk = (delta: object, finish: string | null = null) =>
    frame({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });

  return {
    start: (): string[] => [chunk({ role: 'assistant', content: '', refusal: null })],
    step(step: Step): string[] {
      if ('text' in step) return pieces(step.text).map((content) => chunk({ content }));
      if ('reasoning' in step)
        return pieces(step.reasoning).map((text) => chunk({ [step.field ?? 'reasoning_content']: text }));
      if ('toolCall' in step) {
        const index = calls++;
        const { name } = step.toolCall;
        const id = step.toolCall.id ?? `call_${request.id}_${index}`;
        const head = { index, id, type: 'function', function: { name, arguments: '' } };
        const parts = argumentParts(step.toolCall).map((text) => ({ index, function: { arguments: text } }));
        return [head, ...parts].map((call) => chunk({ tool_calls: [call] }));
      }
      if ('error' in step) return [frame({ error: chatError(step.error) })];
      return [];
    },
    end(): string[] {
      const usage = findUsage(reply);
      const last = chunk({}, findFinish(reply));
      const counts = usage && request.includeUsage ? [frame({ ...base, choices: [], usage: chatUsage(usage) })] : [];
      return [last, ...counts, 'data: [DONE]\n\n'];
    },
  };
}

/** The same answer as one JSON body. */
export function chatBody(reply: Reply, request: { model: string; id: string }): object {
  const text = reply.flatMap((step) => ('text' in step ? pieces(step.text) : [])).join('');
  const reasoning = reply.flatMap((step) => ('reasoning' in step ? pieces(step.reasoning) : [])).join('');
  const calls = reply
    .flatMap((step) => ('toolCall' in step ? [step.toolCall] : []))
    .map((call, index) => ({
      id: call.id ?? `call_${request.id}_${index}`,
      type: 'function',
      function: { name: call.name, arguments: argumentParts(call).join('') },
    }));
  const usage = findUsage(reply);
  return {
    id: request.id,
    object: 'chat.completion',
    created: 1_700_000_000,
    model: request.model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && calls.length > 0 ? null : text,
          ...(reasoning ? { reasoning_content: reasoning } : {}),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
          refusal: null,
        },
        logprobs: null,
        finish_reason: findFinish(reply),
      },
    ],
    ...(usage ? { usage: chatUsage(usage) } : {}),
  };
}

/** The vendor's error object, as bodies and streams carry it. */
export function chatError(error: { message: string; type?: string; code?: string | number; param?: string }): object {
  return {
    message: error.message,
    type: error.type ?? 'invalid_request_error',
    param: error.param ?? null,
    code: error.code ?? null,
  };
}

function chatUsage(usage: ScriptedUsage): object {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    ...(usage.cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: usage.cached } }),
    ...(usage.reasoning === undefined ? {} : { completion_tokens_details: { reasoning_tokens: usage.reasoning } }),
  };
}

function frame(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
