import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { checkChatRequest } from './scripted-model/check-chat-request.ts';
import { type Fields, isFields, RequestProblem } from './scripted-model/check-fields.ts';
import { checkMessagesRequest } from './scripted-model/check-messages-request.ts';
import { createGates } from './scripted-model/gates.ts';
import { errorBody, play } from './scripted-model/play.ts';
import type { Chunking, Reply, Wire } from './scripted-model/script.ts';

export interface RecordedRequest {
  wire: Wire;
  path: string;
  headers: IncomingHttpHeaders;
  body: Fields;
  /** What the strict check found wrong; the answer was 400 then. */
  problem?: string;
  /** True when the client went away before the answer was complete. */
  aborted: boolean;
  /** Resolves when the answer is complete or the client is gone. */
  over: Promise<void>;
}

export interface ScriptedModelOptions {
  /** The answers, first to last. Without an answer left (and without `answer`) the server says 500. */
  replies?: Reply[];
  /** Answers what the list does not; gets the request and its number, from 0. */
  answer?: (request: RecordedRequest, number: number) => Reply;
  /** Ids of `GET .../models`. */
  models?: string[];
  /** When set, any other credential is answered 401. */
  apiKey?: string;
  chunking?: Chunking;
  newline?: '\n' | '\r\n';
}

/** A model server on 127.0.0.1 that speaks both wire protocols, refuses what the vendors refuse, and plays a script. */
export interface ScriptedModel {
  /** Chat completions: `<url>/chat/completions`. */
  readonly url: string;
  readonly requests: readonly RecordedRequest[];
  /** Adds answers to the end of the list. */
  reply(...replies: Reply[]): void;
  /** Resolves with the request of that number (from 0) as soon as it has arrived. */
  request(number: number): Promise<RecordedRequest>;
  /** Closes a gate: a `{hold: name}` step waits at it. Without a name: every new request waits before anything is sent. */
  hold(name?: string): void;
  /** Opens it for good, or until the next `hold`. */
  release(name?: string): void;
  /** Resolves when a request waits at that gate. */
  held(name?: string): Promise<void>;
  close(): Promise<void>;
}

const everyRequest = 'every request';

export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const replies = [...(options.replies ?? [])];
  const requests: RecordedRequest[] = [];
  const arrivals: (() => void)[] = [];
  const gates = createGates();
  const signatures = new Set<string>();
  gates.release(everyRequest);

  const server = createServer((incoming, response) => {
    answer(incoming, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(errorBody('chat', { message: `the script failed: ${String(error)}` }));
    });
  });

  async function answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (incoming.url ?? '/').split('?')[0] ?? '/';
    const wire: Wire = path.endsWith('/messages') || incoming.headers['anthropic-version'] ? 'messages' : 'chat';
    const refuse = (status: number, error: { message: string; type?: string; param?: string }) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(errorBody(wire, error));
    };
    if (!authorised(incoming.headers, options.apiKey))
      return refuse(401, { message: 'invalid API key', type: 'authentication_error' });
    if (incoming.method === 'GET' && path.endsWith('/models')) {
      const data = (options.models ?? ['scripted']).map((id) => ({
        id,
        object: 'model',
        type: 'model',
        display_name: id,
      }));
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ object: 'list', data }));
      return;
    }
    if (incoming.method !== 'POST' || !/\/(chat\/completions|messages)$/.test(path))
      return refuse(404, { message: `no such route: ${incoming.method} ${path}`, type: 'not_found_error' });

    const record = recordRequest(incoming, response, { wire, path });
    const problem = await readBody(incoming, record, signatures);
    if (problem) record.problem = problem.message;
    const number = requests.push(record) - 1;
    for (const arrived of arrivals.splice(0)) arrived();
    await gates.pass(everyRequest);
    if (problem) return refuse(400, { message: problem.message, ...(problem.param ? { param: problem.param } : {}) });
    const reply = replies.shift() ?? options.answer?.(record, number);
    if (!reply) return refuse(500, { message: `no scripted answer for request ${number}`, type: 'api_error' });
    for (const step of reply) if ('reasoning' in step && step.signature) signatures.add(step.signature);
    const streamOptions = record.body.stream_options;
    await play(response, reply, {
      wire,
      stream: record.body.stream === true,
      request: {
        model: String(record.body.model),
        includeUsage: isFields(streamOptions) && streamOptions.include_usage === true,
        id: `scripted-${number}`,
      },
      chunking: options.chunking ?? 'event',
      newline: options.newline ?? '\n',
      pass: gates.pass,
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.keepAliveTimeout = 60_000;
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    reply: (...more) => void replies.push(...more),
    async request(number) {
      for (;;) {
        const found = requests[number];
        if (found) return found;
        await new Promise<void>((resolve) => arrivals.push(resolve));
      }
    },
    hold: (name = everyRequest) => gates.hold(name),
    release: (name = everyRequest) => gates.release(name),
    held: (name = everyRequest) => gates.held(name),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function recordRequest(
  incoming: IncomingMessage,
  response: ServerResponse,
  { wire, path }: { wire: Wire; path: string },
): RecordedRequest {
  const over = new Promise<void>((resolve) => response.once('close', resolve));
  const record: RecordedRequest = { wire, path, headers: incoming.headers, body: {}, aborted: false, over };
  response.once('close', () => {
    record.aborted = !response.writableFinished;
  });
  return record;
}

async function readBody(
  incoming: IncomingMessage,
  record: RecordedRequest,
  signatures: ReadonlySet<string>,
): Promise<RequestProblem | undefined> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  try {
    if (!incoming.headers['content-type']?.startsWith('application/json'))
      throw new RequestProblem('content-type must be application/json');
    const body: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
    if (!isFields(body)) throw new RequestProblem('the body must be a JSON object');
    record.body = body;
    if (record.wire === 'messages' && !incoming.headers['anthropic-version'])
      throw new RequestProblem('anthropic-version: header is required');
    if (record.wire === 'chat') checkChatRequest(body);
    else checkMessagesRequest(body, signatures);
    return undefined;
  } catch (error) {
    return error instanceof RequestProblem ? error : new RequestProblem(`the body could not be read: ${String(error)}`);
  }
}

function authorised(headers: IncomingHttpHeaders, apiKey: string | undefined): boolean {
  if (apiKey === undefined) return true;
  return headers.authorization === `Bearer ${apiKey}` || headers['x-api-key'] === apiKey;
}
