/** Pieces of a stream in the wire form of each provider plugin. */
export const frames = {
  'chat-completions': {
    text: (text: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`,
    call: (json: string) =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index: 0, id: 'c', function: { name: 't', arguments: json } }] } }] })}\n\n`,
    callStart: '',
    end: 'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  },
  'messages-api': {
    text: (text: string) =>
      `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })}\n\n`,
    call: (json: string) =>
      `data: ${JSON.stringify({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: json } })}\n\n`,
    callStart: `data: ${JSON.stringify({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'c', name: 't', input: {} } })}\n\n`,
    end: 'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\ndata: {"type":"message_stop"}\n\n',
  },
};

export type ProviderName = keyof typeof frames;
