import type { SessionSummary } from '../../lib/wire/session.ts';
import type { Directory } from './directory.ts';
import { groupBy } from './group-by.ts';

export interface SessionNode {
  session: SessionSummary;
  children: SessionNode[];
  /** Something in here waits for a person. */
  waits: boolean;
}

export interface SessionGroup {
  title: string;
  nodes: SessionNode[];
}

/** The list as it is shown: what needs a person first, then by day. Sub-agents stand below their parent. */
export function groupSessions(directory: Directory, { query, today }: { query: string; today: Date }): SessionGroup[] {
  const waiting = new Set(directory.approvals.flatMap(({ sessionId, rootSessionId }) => [sessionId, rootSessionId]));
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const children = groupBy(directory.sessions.values(), ({ parentId }) => parentId ?? '');
  const nodeOf = (session: SessionSummary): SessionNode => {
    const below = (children.get(session.id) ?? []).sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1)).map(nodeOf);
    return { session, children: below, waits: waiting.has(session.id) || below.some(({ waits }) => waits) };
  };
  const found = [...directory.sessions.values()]
    .filter((session) => isTop(directory, session) || words.length > 0)
    .filter((session) => contains(session, words))
    .sort((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1));
  const nodes = words.length > 0 ? found.map((session) => ({ ...nodeOf(session), children: [] })) : found.map(nodeOf);
  const groups = groupBy(nodes, (node) => (needsYou(node) ? 'Needs you' : dayOf(node.session.updatedAt, today)));
  const order = ['Needs you', 'Today', 'Yesterday', 'Last 7 days', 'Older'];
  return order.flatMap((title) => (groups.has(title) ? [{ title, nodes: groups.get(title) ?? [] }] : []));
}

/** Whether every word, in lower case, is somewhere in title, id, model or workspace. */
export function contains({ title, id, model, workspace }: SessionSummary, words: readonly string[]): boolean {
  const text = `${title}\n${id}\n${model}\n${workspace}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function isTop({ sessions }: Directory, { parentId }: SessionSummary): boolean {
  return parentId === undefined || !sessions.has(parentId);
}

function needsYou({ waits, session }: SessionNode): boolean {
  return waits || session.status === 'interrupted';
}

function dayOf(at: string, today: Date): string {
  const days = Math.floor((startOfDay(today) - startOfDay(new Date(at))) / 86_400_000 + 0.5);
  if (days <= 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return days <= 7 ? 'Last 7 days' : 'Older';
}

function startOfDay(date: Date): number {
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
