import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

// A chat-completions model that costs next to nothing: answers are made once and written whole. What it says is in the
// last user message: `stream <deltas>`, `paced <deltas> <ms>`, `tools <rounds>`. Prints its port.

interface Message {
  role: string;
  content: unknown;
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const usage = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [], usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } })}\n\n`;
const end = (finish: string) => `${chunk({}, finish)}${usage}data: [DONE]\n\n`;
const word = (at: number) => `word${String(at).padStart(4, '0')} `;

function streamed(deltas: number): Buffer {
  const texts = Array.from({ length: deltas }, (_, at) => chunk({ content: word(at) }));
  return Buffer.from(chunk({ role: 'assistant', content: '' }) + texts.join('') + end('stop'));
}

function toolCall(at: number): string {
  const call = { name: 'read_file', arguments: '{"path":"bench.txt"}' };
  const delta = {
    role: 'assistant',
    content: null,
    tool_calls: [{ index: 0, id: `call_${at}`, type: 'function', function: call }],
  };
  return chunk(delta) + end('tool_calls');
}

function answer(messages: Message[], response: ServerResponse, ready: Map<number, Buffer>): void {
  const from = messages.findLastIndex(({ role }) => role === 'user');
  const [what, count = '1', ms = '10'] = String(messages[from]?.content ?? '').split(' ');
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (what === 'paced') {
    pace(response, { deltas: Number(count), ms: Number(ms) });
    return;
  }
  const results = messages.slice(from).filter(({ role }) => role === 'tool').length;
  if (what === 'tools' && results < Number(count)) {
    response.end(toolCall(messages.length));
    return;
  }
  const deltas = what === 'stream' ? Number(count) : 1;
  const body = ready.get(deltas) ?? streamed(deltas);
  ready.set(deltas, body);
  response.end(body);
}

function pace(response: ServerResponse, { deltas, ms }: { deltas: number; ms: number }): void {
  let sent = 0;
  response.write(chunk({ role: 'assistant', content: '' }));
  const timer = setInterval(() => {
    response.write(chunk({ content: word(sent++) }));
    if (sent < deltas) return;
    clearInterval(timer);
    response.end(end('stop'));
  }, ms);
}

const ready = new Map<number, Buffer>();
const server = createServer((request, response) => {
  if (request.method === 'GET') return void response.end('{"object":"list","data":[{"id":"bench"}]}');
  const chunks: Buffer[] = [];
  request.on('data', (part: Buffer) => chunks.push(part));
  request.on('end', () => {
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: Message[] };
    answer(messages, response, ready);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
