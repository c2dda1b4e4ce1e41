import type { SessionEvent } from '../../../lib/wire/event.ts';
import type { ChatMessage } from '../../../lib/wire/message.ts';
import type { SessionStatus } from '../../../lib/wire/session.ts';
import type { Asked, Fact, Observation } from './history.ts';

/** Short words to write histories by hand with, all of one session `s` of tenant `a`. */
export const said = {
  user: (id: string): ChatMessage => ({ id, role: 'user', content: `text of ${id}`, createdAt: '' }),
  assistant: (id: string, ...calls: string[]): ChatMessage => ({
    id,
    role: 'assistant',
    content: `text of ${id}`,
    createdAt: '',
    ...(calls.length > 0 ? { toolCalls: calls.map((call) => ({ id: call, name: 'note', arguments: {} })) } : {}),
  }),
  tool: (id: string, toolCallId: string): ChatMessage => ({ id, role: 'tool', content: '', toolCallId, createdAt: '' }),
};

export const usageOf = (totalTokens: number) => ({ inputTokens: totalTokens, outputTokens: 0, totalTokens });

/** Events get their numbers from where they stand in the history. */
export function history(...facts: (Fact | SessionEvent)[]): Observation {
  const numbered = facts.map((fact, at): Fact => {
    if ('kind' in fact) return fact;
    return { kind: 'event', tenantId: 'a', envelope: { seq: at + 1, at: '', event: fact } };
  });
  const compact = numbered.filter(({ kind }) => kind === 'event');
  for (const [at, fact] of compact.entries()) if (fact.kind === 'event') fact.envelope.seq = at + 1;
  return {
    facts: numbered,
    secrets: ['hush-hush'],
    quotas: { a: { maxConcurrentRuns: 1, maxSessions: 1, maxTokens: 100 } },
  };
}

export function detail(status: SessionStatus, messages: readonly ChatMessage[], totalTokens = 0) {
  const messageCount = messages.length;
  const usage = usageOf(totalTokens);
  const rest = { title: '', createdAt: '', updatedAt: '', model: '', workspace: '' };
  return { id: 's', status, messages: [...messages], messageCount, usage, ...rest };
}

export function reading(status: SessionStatus, messages: readonly ChatMessage[], totalTokens = 0): Fact {
  return { kind: 'reading', tenantId: 'a', detail: detail(status, messages, totalTokens), quiet: true };
}

export function updated(status: SessionStatus, totalTokens = 0): SessionEvent {
  const { messages: _, ...session } = detail(status, [], totalTokens);
  return { type: 'session.updated', sessionId: 's', session };
}

export function answer(asked: Asked, status: number, body: Record<string, unknown> = {}, sent = 0): Fact {
  return { kind: 'answer', tenantId: 'a', sessionId: 's', asked, status, sent, body };
}

export const about = { sessionId: 's' } as const;
export const started = (runId: string): SessionEvent => ({ type: 'run.started', ...about, runId });
export const finished = (runId: string, totalTokens = 0): SessionEvent => ({
  type: 'run.finished',
  ...about,
  runId,
  status: 'completed',
  usage: usageOf(totalTokens),
});
export const completed = (message: ChatMessage): SessionEvent => ({ type: 'message.completed', ...about, message });
export const delta: SessionEvent = { type: 'message.delta', ...about, messageId: 'm', channel: 'text', delta: 'x' };
export const deleted: SessionEvent = { type: 'session.deleted', ...about };
export const compacted = (removedMessages: number, keptMessages: number): SessionEvent => ({
  type: 'context.compacted',
  ...about,
  removedMessages,
  keptMessages,
  tokensBefore: 2,
  tokensAfter: 1,
});

export const created = answer({ verb: 'create' }, 201);
export const post = (id: string) => answer({ verb: 'post', content: `text of ${id}` }, 202, { runId: `run of ${id}` });
/** One turn without tools that costs 10 tokens. */
export const turn = (name: string, before = 0): (Fact | SessionEvent)[] => [
  completed(said.user(`u${name}`)),
  updated('running', before),
  started(`run of u${name}`),
  post(`u${name}`),
  { kind: 'request', ...about, messages: [{ role: 'user', content: `text of u${name}` }] },
  { kind: 'completion', ...about, usage: usageOf(10) },
  completed(said.assistant(`a${name}`)),
  updated('idle', before + 10),
  finished(`run of u${name}`, 10),
];
