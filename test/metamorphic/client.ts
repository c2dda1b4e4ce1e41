import type { ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';
import type { ChatMessage } from '../../lib/wire/message.ts';
import type { SessionDetail, SessionSummary } from '../../lib/wire/session.ts';

/** What somebody sees of a session, be it by its events or by reading it. */
export interface Sight {
  messages: ChatMessage[];
  /** The reply that is being told: what has been said of it so far. */
  streaming: { id: string; content: string; reasoning: string } | null;
  approvals: string[];
  /** Without what a run changes before it ends, while one is active: how many messages there are and what they have used. */
  summary: Partial<SessionSummary>;
}

/** What a client that knows nothing but a session's events believes it to be. */
export function sightOfEvents(envelopes: readonly ServerEventEnvelope[]): Sight {
  const sight: Sight = { messages: [], streaming: null, approvals: [], summary: {} };
  for (const { event } of envelopes) follow(sight, event);
  return { ...sight, summary: settled(sight.summary) };
}

export function sightOfReading(session: SessionDetail, streaming: ChatMessage | undefined): Sight {
  const { messages, pendingApprovals, systemPrompt: _, activity: __, ...rest } = session;
  const { lastSeq: ___, ...summary } = rest as typeof rest & { lastSeq: number };
  return {
    messages,
    streaming: streaming
      ? { id: streaming.id, content: streaming.content, reasoning: streaming.reasoning ?? '' }
      : null,
    // Those of sub-agents are told in their own streams, and in that of the tenant.
    approvals: pendingApprovals.flatMap(({ id, sessionId }) => (sessionId === session.id ? [id] : [])),
    summary: settled(summary),
  };
}

function follow(sight: Sight, event: SessionEvent): void {
  switch (event.type) {
    case 'session.updated':
      sight.summary = event.session;
      break;
    case 'message.started':
      if (event.message.role === 'assistant') sight.streaming = { id: event.message.id, content: '', reasoning: '' };
      break;
    case 'message.delta':
      if (sight.streaming?.id !== event.messageId)
        throw new Error(`a delta of ${event.messageId}, which has not begun`);
      sight.streaming[event.channel === 'text' ? 'content' : 'reasoning'] += event.delta;
      break;
    case 'message.completed': {
      const at = sight.messages.findIndex(({ id }) => id === event.message.id);
      if (at < 0) sight.messages.push(event.message);
      else sight.messages[at] = event.message;
      if (sight.streaming?.id === event.message.id) sight.streaming = null;
      break;
    }
    case 'run.finished':
    case 'run.failed':
      sight.streaming = null;
      break;
    case 'session.rewound':
      sight.messages = [...event.messages];
      break;
    case 'context.compacted': {
      // The summary was told last and stands first.
      const summary = sight.messages.pop();
      sight.messages = [...(summary ? [summary] : []), ...sight.messages.slice(event.removedMessages)];
      break;
    }
    case 'approval.requested':
      sight.approvals.push(event.approval.id);
      break;
    case 'approval.resolved':
      sight.approvals = sight.approvals.filter((id) => id !== event.approvalId);
      break;
    default:
  }
}

/** What a client that knows nothing but the events of a tenant believes its sessions to be. */
export function listOfEvents(envelopes: readonly ServerEventEnvelope[]): Map<string, Partial<SessionSummary>> {
  const list = new Map<string, Partial<SessionSummary>>();
  for (const { event } of envelopes) {
    if (event.type === 'session.updated') list.set(event.sessionId, settled(event.session));
    if (event.type === 'session.deleted') list.delete(event.sessionId);
  }
  return list;
}

export function settled(summary: Partial<SessionSummary>): Partial<SessionSummary> {
  if (summary.status !== 'running') return summary;
  const { messageCount: _, usage: __, updatedAt: ___, activity: ____, ...rest } = summary;
  return rest;
}
