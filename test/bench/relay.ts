import { readFile } from 'node:fs/promises';
import { Agent, request as httpRequest, type ServerResponse } from 'node:http';
import { join } from 'node:path';

// What a careful person writes in an afternoon: one user, no checks, no retries, no replay. Two servers are made of it:
// the bare relay, which every ratio is to, and the floor.

export interface RelayOptions {
  modelUrl: string;
  workspace: string;
  /** Resolves when the change would survive a power cut; events wait for it. Without it nothing is kept. */
  keep?: (change: object) => Promise<void>;
  /** How a file of the workspace is read for a tool. Default: whatever is at its path. */
  read?: (path: string) => Promise<string>;
  /** JSON text of the tools that the model is told. Default: none. */
  tools?: string;
  /** How many events are kept for clients that come back. Default: none. */
  replay?: number;
}

export interface RelaySession {
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

export interface Relay {
  find(id: string): RelaySession | undefined;
  create(): Promise<object>;
  list(): object[];
  /** Resolves with the id of the run when the message is kept. */
  send(session: RelaySession, content: string): Promise<string>;
  /** Writes the session's events to the response until it closes. */
  listen(session: RelaySession, response: ServerResponse): void;
}

interface Call {
  id: string;
  name: string;
  arguments: string;
}

type Publish = (event: object) => void;

export function createRelay(options: RelayOptions): Relay {
  const { modelUrl, workspace, keep, tools, replay = 0 } = options;
  const read = options.read ?? ((path) => readFile(path, 'utf8'));
  const ring: { id: number; event: object; text: string }[] = [];
  const agent = new Agent({ keepAlive: true });
  const sessions = new Map<string, RelaySession>();
  let seq = 0;

  function emit(session: RelaySession, event: object): void {
    const id = ++seq;
    const text = `id: ${id}\ndata: ${JSON.stringify({ seq: id, at: new Date().toISOString(), event })}\n\n`;
    if (replay > 0) ring[id % replay] = { id, event, text };
    for (const listener of session.listeners) listener.write(text);
  }

  async function run(
    session: RelaySession,
    { runId, publish, kept }: { runId: string; publish: Publish; kept: Promise<void> | undefined },
  ): Promise<void> {
    const sessionId = session.id;
    publish({ type: 'run.started', sessionId, runId });
    for (;;) {
      const messageId = `msg_${++seq}`;
      publish({ type: 'message.started', sessionId, message: { id: messageId, role: 'assistant', content: '' } });
      const { content, calls } = await callModel({ url: modelUrl, agent, tools }, session, (delta) =>
        publish({ type: 'message.delta', sessionId, messageId, channel: 'text', delta }),
      );
      const tool_calls = calls.map(({ id, ...called }) => ({ id, type: 'function', function: called }));
      const reply = { role: 'assistant', content, ...(calls.length > 0 ? { tool_calls } : {}) };
      session.messages.push(reply);
      await kept;
      if (keep) await keep({ sessionId, reply });
      publish({ type: 'message.completed', sessionId, message: { id: messageId, role: 'assistant', content } });
      if (calls.length === 0) break;
      for (const call of calls) {
        publish({ type: 'tool.started', sessionId, call });
        const text = await read(join(workspace, JSON.parse(call.arguments).path));
        const result = { role: 'tool', content: text, tool_call_id: call.id };
        session.messages.push(result);
        const about = { callId: call.id, name: call.name, ok: true, content: text };
        const tell = () => publish({ type: 'tool.finished', sessionId, result: about });
        if (keep) kept = keep({ sessionId, result }).then(tell);
        else tell();
      }
    }
    session.status = 'idle';
    session.updatedAt = new Date().toISOString();
    session.messageCount = session.messages.length;
    publish({ type: 'run.finished', sessionId, runId, status: 'completed' });
  }

  return {
    find: (id) => sessions.get(id),
    async create() {
      const at = new Date().toISOString();
      const [id, fields] = [`ses_${++seq}`, { title: 'New session', model: 'bench', workspace }];
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
      sessions.set(session.id, session);
      if (keep) await keep({ session: summary(session) });
      return { ...summary(session), messages: [] };
    },
    list: () => [...sessions.values()].sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)).map(summary),
    async send(session, content) {
      const runId = `run_${++seq}`;
      session.status = 'running';
      session.messages.push({ role: 'user', content });
      if (!keep) {
        // The answer goes first.
        process.nextTick(() => run(session, { runId, publish: (event) => emit(session, event), kept: undefined }));
        return runId;
      }
      let held: object[] | undefined = [];
      const kept = keep({ sessionId: session.id, content }).then(() => {
        for (const event of held ?? []) emit(session, event);
        held = undefined;
      });
      void run(session, { runId, publish: (event) => (held ? held.push(event) : emit(session, event)), kept });
      await kept;
      return runId;
    },
    listen(session, response) {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write('retry: 3000\n\n');
      session.listeners.add(response);
      response.on('close', () => session.listeners.delete(response));
    },
  };
}

function summary({ messages, listeners, ...fields }: RelaySession): object {
  return fields;
}

function callModel(
  { url, agent, tools }: { url: string; agent: Agent; tools: string | undefined },
  session: RelaySession,
  onDelta: (text: string) => void,
): Promise<{ content: string; calls: Call[] }> {
  const plain = JSON.stringify({
    model: 'bench',
    stream: true,
    stream_options: { include_usage: true },
    messages: session.messages,
  });
  const body = tools === undefined ? plain : `${plain.slice(0, -1)},"tools":${tools}}`;
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const request = httpRequest(`${url}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
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
