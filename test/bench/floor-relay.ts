import { fdatasync, openSync, writeSync } from 'node:fs';
import { open, readlink } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { createMiddleware } from '@hattip/adapter-node/native-fetch';
import { createRouter } from '@hattip/router';
import { object, optional, string, validate } from 'superstruct';
import { createRelay, type RelaySession } from './relay.ts';

// The same relay with what no server of this contract may leave out: requests come through the prescribed libraries, what is
// acknowledged or published is synced to disk, the model is told as many tools as this service brings, files are read through
// a descriptor that was proven to lie inside, and 10,000 events are kept for clients that come back. It shows how much of a
// ratio that costs, done in the least way. Environment: PORT, MODEL_URL, WORKSPACE; it writes `floor.log` in its working directory.

const { PORT = '0', MODEL_URL = '', WORKSPACE = '.' } = process.env;
const relay = createRelay({
  modelUrl: MODEL_URL,
  workspace: WORKSPACE,
  keep: createKeep(openSync('floor.log', 'a')),
  read: readInside,
  tools: toolsText(21),
  replay: 10_000,
});
const Message = object({ content: string() });
const NewSession = object({ title: optional(string()), workspace: optional(string()) });

const router = createRouter<{ response: ServerResponse }>();
router.get('/api/health', () => json(200, { status: 'ok' }));
router.post('/api/sessions', async ({ request }) => {
  validate(await bodyOf(request), NewSession);
  return json(201, { session: await relay.create() });
});
router.get('/api/sessions', () => json(200, { sessions: relay.list() }));
router.get('/api/sessions/:id/events', (context) => {
  const session = sessionOf(context.params);
  if (!session) return json(404, {});
  relay.listen(session, context.platform.response);
  context.passThrough();
  return new Response(null);
});
router.post('/api/sessions/:id/messages', async ({ request, params }) => {
  const session = sessionOf(params);
  const [problem, body] = validate(await bodyOf(request), Message);
  if (!session || problem) return json(404, {});
  return json(202, { runId: await relay.send(session, body.content) });
});

const middleware = createMiddleware(router.buildHandler(), { origin: 'http://floor', alwaysCallNext: false });
createServer((request, response) => middleware(request, response, () => undefined)).listen(Number(PORT), '127.0.0.1');

async function readInside(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const [stats, real] = await Promise.all([handle.stat(), readlink(`/proc/self/fd/${handle.fd}`).catch(() => path)]);
    if (!stats.isFile() || !real.startsWith(WORKSPACE)) throw new Error('outside');
    return (await handle.readFile()).toString();
  } finally {
    await handle.close();
  }
}

/** As many tools as the service brings, each with the usual length of a description and a schema: 12,000 characters. */
function toolsText(count: number): string {
  const parameters = { type: 'object', properties: { path: { type: 'string', description: 'x'.repeat(180) } } };
  const tool = { type: 'function', function: { name: 'read_file', description: 'x'.repeat(220), parameters } };
  return JSON.stringify(Array.from({ length: count }, () => tool));
}

function sessionOf(params: unknown): RelaySession | undefined {
  return relay.find((params as { id: string }).id);
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await request.text();
  return text === '' ? {} : JSON.parse(text);
}

function json(status: number, body: object): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

/** Appends a change and resolves after the next sync, which serves all that wait. */
function createKeep(file: number): (change: object) => Promise<void> {
  let waiting: (() => void)[] = [];
  let syncing = false;
  const sync = (): void => {
    const served = waiting;
    waiting = [];
    syncing = true;
    fdatasync(file, () => {
      syncing = false;
      for (const done of served) done();
      if (waiting.length > 0) sync();
    });
  };
  return (change) =>
    new Promise((resolve) => {
      writeSync(file, `${JSON.stringify(change)}\n`);
      waiting.push(resolve);
      if (!syncing) sync();
    });
}
