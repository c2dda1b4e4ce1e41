import { createHash } from 'node:crypto';
import { argumentParts, findFinish, findUsage, finishWord, pieces, type Reply, type Step } from './script.ts';

/** The events of a messages-API stream. One instance per answer: blocks are counted. */
export function createMessagesEncoder(reply: Reply, request: { model: string; id: string }) {
  const usage = findUsage(reply);
  let blocks = 0;

  const block = (start: object, deltas: object[]): string[] => {
    const index = blocks++;
    return [
      frame({ type: 'content_block_start', index, content_block: start }),
      ...deltas.map((delta) => frame({ type: 'content_block_delta', index, delta })),
      frame({ type: 'content_block_stop', index }),
    ];
  };

  return {
    start: (): string[] => [
      frame({
        type: 'message_start',
        message: {
          id: request.id,
          type: 'message',
          role: 'assistant',
          model: request.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: { ...inputUsage(usage), output_tokens: usage ? 1 : 0 },
        },
      }),
      frame({ type: 'ping' }),
    ],
    step(step: Step): string[] {
      if ('text' in step)
        return block(
          { type: 'text', text: '' },
          pieces(step.text).map((text) => ({ type: 'text_delta', text })),
        );
      if ('reasoning' in step) {
        const parts = pieces(step.reasoning);
        const signature = step.signature ?? signatureOf(parts.join(''));
        return block({ type: 'thinking', thinking: '', signature: '' }, [
          ...parts.map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature },
        ]);
      }
      if ('toolCall' in step) {
        const id = step.toolCall.id ?? `toolu_${request.id}_${blocks}`;
        return block({ type: 'tool_use', id, name: step.toolCall.name, input: {} }, [
          { type: 'input_json_delta', partial_json: '' },
          ...argumentParts(step.toolCall).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
        ]);
      }
      if ('error' in step) return [frame(messagesError({ type: 'overloaded_error', ...step.error }))];
      return [];
    },
    end: (): string[] => [
      frame({
        type: 'message_delta',
        delta: { stop_reason: finishWord('messages', findFinish(reply)), stop_sequence: null },
        usage: { output_tokens: usage?.output ?? 0 },
      }),
      frame({ type: 'message_stop' }),
    ],
  };
}

/** The same answer as one JSON body. */
export function messagesBody(reply: Reply, request: { model: string; id: string }): object {
  const usage = findUsage(reply);
  const content = reply.flatMap((step, index): object[] => {
    if ('text' in step) return [{ type: 'text', text: pieces(step.text).join('') }];
    if ('reasoning' in step) {
      const thinking = pieces(step.reasoning).join('');
      return [{ type: 'thinking', thinking, signature: step.signature ?? signatureOf(thinking) }];
    }
    if ('toolCall' in step) {
      const { id, name } = step.toolCall;
      const input: unknown = JSON.parse(argumentParts(step.toolCall).join(''));
      return [{ type: 'tool_use', id: id ?? `toolu_${request.id}_${index}`, name, input }];
    }
    return [];
  });
  return {
    id: request.id,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: finishWord('messages', findFinish(reply)),
    stop_sequence: null,
    usage: { ...inputUsage(usage), output_tokens: usage?.output ?? 0 },
  };
}

export function messagesError(error: { message: string; type?: string }): Tagged {
  return { type: 'error', error: { type: error.type ?? 'invalid_request_error', message: error.message } };
}

/** The signature this model puts under its thinking, and demands when the thinking comes back. */
export function signatureOf(thinking: string): string {
  return `sig.${createHash('sha256').update(thinking).digest('base64')}`;
}

function inputUsage(usage: ReturnType<typeof findUsage>): object {
  if (!usage) return { input_tokens: 0 };
  const cached = usage.cached ?? 0;
  return {
    input_tokens: usage.input - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  };
}

function frame(data: Tagged): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}

interface Tagged {
  type: string;
  [field: string]: unknown;
}
