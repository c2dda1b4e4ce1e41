import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { handlers } from '../../../host/routes.ts';
import { tokenOf } from './life.ts';
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

/** What lies in the data directory: the age of every file, and where texts that only deleted sessions had are still found. */
export function lookAtDisk(world: World, deletedTexts: readonly string[]): void {
  const files: { path: string; ageMs: number }[] = [];
  const remains: string[] = [];
  for (const path of filesBelow(world.life.data)) {
    const text = readFileSync(path, 'latin1');
    files.push({ path, ageMs: statSync(path).mtimeMs - world.bootedAt });
    if (deletedTexts.some((wanted) => text.includes(wanted))) remains.push(path);
    world.facts.push({ kind: 'text', where: path, text: path.includes('accounts') ? '' : text });
  }
  world.facts.push({ kind: 'disk', files, remains });
}

function filesBelow(directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
