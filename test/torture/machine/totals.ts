import type { Tenant } from './life.ts';
import type { World } from './world.ts';

/** What a tenant's list and usage say, noted as facts. Resolves with the ids of the list. */
export async function noteTotals(world: World, tenantId: Tenant): Promise<string[]> {
  const list = await world.ask(tenantId, 'GET', '/api/sessions');
  const ids = (list.body as { sessions: { id: string }[] }).sessions.map(({ id }) => id);
  world.facts.push({ kind: 'list', tenantId, ids });
  const { body } = await world.ask(tenantId, 'GET', '/api/usage');
  const { sessions, usage } = body as { sessions: number; usage: { totalTokens: number } };
  world.facts.push({ kind: 'usage', tenantId, sessions, totalTokens: usage.totalTokens });
  return ids;
}
