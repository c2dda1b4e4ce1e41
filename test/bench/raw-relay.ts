import { readFile } from 'node:fs/promises';
import { Agent, createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

// The floor: what a careful person writes in an afternoon with node:http alone. Memory only, one user, no checks, no
// retries, no replay. Environment: PORT, MODEL_URL, WORKSPACE.

interface Call {
  id: string;
  name: string;
  arguments: string;
}

interface RelaySession {
  id: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  status: string;
  model: string;
  messageCount: number;
  workspace: string;
  messages: { role: string; content: string; tool_calls?: object[]; tool_call_id?: string }[];
  listeners: Set<ServerResponse>;
}

const { PORT = '0', MODEL_URL = '', WORKSPACE = '.' } = process.env;
const agent = new Agent({ keepAlive: true });
const sessions = new Map<string, RelaySession>();
let seq = 0;

function emit(session: RelaySession, event: object): void {
  const id = ++seq;
  const text = `id: ${id}\ndata: ${JSON.stringify({ seq: id, at: new Date().toISOString(), event })}\n\n`;
  for (const listener of session.listeners) listener.write(text);
}

function callModel(
  session: RelaySession,
  onDelta: (text: string) => void,
): Promise<{ content: string; calls: Call[] }> {
  const body = JSON.stringify({
    model: 'bench',
    stream: true,
    stream_options: { include_usage: true },
    messages: session.messages,
  });
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = httpRequest(`${MODEL_URL}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
      let rest = '';
      let content = '';
      const calls: Call[] = [];
      response.setEncoding('utf8').on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (!line.startsWith('data: {')) continue;
          const delta = JSON.parse(line.slice(6)).choices[0]?.delta ?? {};
          for (const { id, function: called } of delta.tool_calls ?? []) calls.push({ id, ...called });
          if (!delta.content) continue;
          content += delta.content;
          onDelta(delta.content);
        }
      });
      response.on('end', () => resolve({ content, calls }));
    });
    request.on('error', reject).end(body);
  });
}

async function run(session: RelaySession, runId: string): Promise<void> {
  const sessionId = session.id;
  emit(session, { type: 'run.started', sessionId, runId });
  for (;;) {
    const messageId = `msg_${++seq}`;
    emit(session, { type: 'message.started', sessionId, message: { id: messageId, role: 'assistant', content: '' } });
    const { content, calls } = await callModel(session, (delta) =>
      emit(session, { type: 'message.delta', sessionId, messageId, channel: 'text', delta }),
    );
    const tool_calls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
    session.messages.push({ role: 'assistant', content, ...(calls.length > 0 ? { tool_calls } : {}) });
    emit(session, { type: 'message.completed', sessionId, message: { id: messageId, role: 'assistant', content } });
    if (calls.length === 0) break;
    for (const call of calls) {
      emit(session, { type: 'tool.started', sessionId, call });
      const text = await readFile(join(WORKSPACE, JSON.parse(call.arguments).path), 'utf8');
      session.messages.push({ role: 'tool', content: text, tool_call_id: call.id });
      emit(session, {
        type: 'tool.finished',
        sessionId,
        result: { callId: call.id, name: call.name, ok: true, content: text },
      });
    }
  }
  session.status = 'idle';
  session.updatedAt = new Date().toISOString();
  session.messageCount = session.messages.length;
  emit(session, { type: 'run.finished', sessionId, runId, status: 'completed' });
}

function summary({ messages, listeners, ...fields }: RelaySession): object {
  return fields;
}

function create(): RelaySession {
  const at = new Date().toISOString();
  const [id, fields] = [`ses_${++seq}`, { title: 'New session', model: 'bench', workspace: WORKSPACE }];
  const session = {
    id,
    ...fields,
    createdAt: at,
    updatedAt: at,
    status: 'idle',
    messageCount: 0,
    messages: [],
    listeners: new Set<ServerResponse>(),
  };
  sessions.set(id, session);
  return session;
}

async function bodyOf(request: IncomingMessage): Promise<Record<string, string>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length > 0 ? JSON.parse(Buffer.concat(chunks).toString()) : {};
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response
    .writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    .end(text);
}

createServer(async (request, response) => {
  const [, , resource, id = '', part] = (request.url ?? '').split('/');
  const session = sessions.get(id);
  if (resource === 'health') return answer(response, 200, { status: 'ok' });
  if (resource !== 'sessions') return answer(response, 404, {});
  if (id === '' && request.method === 'POST') {
    await bodyOf(request);
    return answer(response, 201, { session: { ...summary(create()), messages: [] } });
  }
  if (id === '') {
    const sorted = [...sessions.values()].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
    return answer(response, 200, { sessions: sorted.map(summary) });
  }
  if (!session) return answer(response, 404, {});
  if (part === 'events') {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n');
    session.listeners.add(response);
    response.on('close', () => session.listeners.delete(response));
    return;
  }
  const { content = '' } = await bodyOf(request);
  const runId = `run_${++seq}`;
  session.status = 'running';
  session.messages.push({ role: 'user', content });
  answer(response, 202, { runId });
  await run(session, runId);
}).listen(Number(PORT), '127.0.0.1');
