import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { handlers } from '../../../host/routes.ts';
import { isLeftover } from '../invariants/store.ts';
import { tokenOf } from './life.ts';
import type { ServiceModel } from './machine.ts';
import type { SessionModel } from './session-model.ts';
import type { World } from './world.ts';

/** Every route of one session, from the route table: a new one is probed without being named here. */
const sessionRoutes = handlers.map(({ route }) => route).filter(({ path }) => path.startsWith('/api/sessions/:id'));

/** One request by the other tenant for a session that exists, and for one that never did. */
export async function probeForeign(world: World, session: SessionModel, number: number): Promise<void> {
  const route = sessionRoutes[number % sessionRoutes.length];
  if (!route) return;
  const stranger = session.tenantId === 'a' ? 'b' : 'a';
  const ask = async (id: string): Promise<string> => {
    const path = route.path.replace(':id', id).replace(/:\w+/g, 'x');
    const headers = { authorization: `Bearer ${tokenOf(stranger)}`, 'x-request-id': 'probe' };
    const body = bodies[route.path.split('/').at(-1) ?? ''] ?? {};
    const init = route.method === 'GET' ? {} : { body: JSON.stringify(body) };
    const response = await world.life.fetch(path, { method: route.method, headers, ...init });
    return [response.status, JSON.stringify([...response.headers].toSorted()), await response.text()].join(' ');
  };
  const foreign = await ask(session.id);
  const missing = await ask(`${session.id.slice(0, -4)}0000`);
  world.facts.push({ kind: 'foreign', what: `${route.method} ${route.path}`, foreign, missing });
}

/** Valid bodies, so that the answer is about the session. */
const bodies: Record<string, object> = {
  messages: { content: 'hello' },
  rewind: { messageId: 'x' },
  ':approvalId': { approved: true },
};

/**
 * What lies in the data directory: the age of every file, and where the messages of deleted sessions are still found. The
 * promise is 500 ms; a busy machine is given longer, because what counts here is that they go.
 */
export async function lookAtDisk(world: World, model: ServiceModel): Promise<void> {
  const texts = deletedTexts(world, model);
  // What a crash kept from going with its session goes two seconds after a start.
  world.clock.advance(2_500);
  const until = performance.now() + 5_000;
  let look = lookOnce(world, texts);
  const isOver = (): boolean => look.remains.length === 0 && !look.files.some(isLeftover);
  for (; !isOver() && performance.now() < until; look = lookOnce(world, texts))
    await new Promise((resolve) => setTimeout(resolve, 20));
  const files = look.files.map(({ path, ageMs }) => ({ path, ageMs }));
  world.facts.push({ kind: 'disk', files, remains: look.remains });
  for (const { path, text } of look.files)
    if (!path.endsWith('accounts.json')) world.facts.push({ kind: 'text', where: path, text });
}

function deletedTexts(world: World, model: ServiceModel): string[] {
  const deleted = new Set(model.sessions.flatMap((session) => (session.deleted ? [session.id] : [])));
  return world.facts
    .flatMap((fact) =>
      fact.kind === 'answer' && fact.status === 202 && deleted.has(fact.sessionId) ? [fact.asked.content ?? []] : [],
    )
    .flat();
}

function lookOnce(world: World, texts: readonly string[]) {
  const files = filesBelow(world.life.data).flatMap((path) => {
    try {
      return [{ path, text: readFileSync(path, 'latin1'), ageMs: statSync(path).mtimeMs - world.bootedAt }];
    } catch {
      // It went between the listing and the reading, as temporary files in use do.
      return [];
    }
  });
  const holds = (text: string): boolean => texts.some((wanted) => text.includes(`${wanted}"`));
  return { files, remains: files.flatMap(({ path, text }) => (holds(text) ? [path] : [])) };
}

/** What goes while one looks is not there. */
function filesBelow(directory: string): string[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      const path = join(directory, entry.name);
      return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
    });
  } catch {
    return [];
  }
}
