import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRelay } from './relay.ts';

// The relay on node:http alone, in memory: what every ratio is to. Environment: PORT, MODEL_URL, WORKSPACE.

const { PORT = '0', MODEL_URL = '', WORKSPACE = '.' } = process.env;
const relay = createRelay({ modelUrl: MODEL_URL, workspace: WORKSPACE });

createServer(async (request, response) => {
  const [, , resource, id = '', part] = (request.url ?? '').split('/');
  if (resource === 'health') return answer(response, 200, { status: 'ok' });
  if (resource !== 'sessions') return answer(response, 404, {});
  if (id === '' && request.method === 'POST') {
    await bodyOf(request);
    return answer(response, 201, { session: await relay.create() });
  }
  if (id === '') return answer(response, 200, { sessions: relay.list() });
  const session = relay.find(id);
  if (!session) return answer(response, 404, {});
  if (part === 'events') return relay.listen(session, response);
  const { content = '' } = await bodyOf(request);
  answer(response, 202, { runId: await relay.send(session, content) });
}).listen(Number(PORT), '127.0.0.1');

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
