import type { ModelMessage } from '../../../lib/models/model.ts';
import type { ChatMessage } from '../../../lib/wire/message.ts';
import { type Fact, type Invariant, perSession } from './history.ts';

export const toolInvariants: readonly Invariant[] = [
  {
    id: 'I7',
    says: 'every tool call has exactly one result before the next reply, in what providers are sent and in transcripts at rest',
    check: (observation) => perSession(observation, unpaired),
  },
  {
    id: 'I8',
    says: 'the body of a tool runs at most once per call id',
    check: (observation) => perSession(observation, repeatedBodies),
  },
  {
    id: 'I9',
    says: 'a call that was made before a crash is never executed after it',
    check: (observation) => perSession(observation, revivedCalls),
  },
  {
    id: 'I21',
    says: 'no process of a tool is left 5 s after its run ended or the service booted',
    check: ({ facts }) =>
      facts.flatMap((fact) => (fact.kind === 'processes' ? fact.left.map((name) => `${name} after ${fact.when}`) : [])),
  },
  {
    id: 'I23',
    says: 'an approval is decided once, and what was not approved does not run',
    check: (observation) => perSession(observation, wrongDecisions),
  },
];

function unpaired(facts: readonly Fact[]): string[] {
  return facts.flatMap((fact) => {
    if (fact.kind === 'request') return pairProblems(fact.messages.map(partOf)).map((text) => `request: ${text}`);
    if (fact.kind !== 'reading' || !fact.quiet) return [];
    const { messages, status } = fact.detail;
    // The calls of the last reply may wait: for a tool, for a person, or for the repair that comes with the next run.
    const waits = status === 'running' || status === 'interrupted';
    return pairProblems(messages.map(shownPart), waits).map((text) => `transcript: ${text}`);
  });
}

type Part = { calls: string[] } | { result: string } | 'other';

function partOf(message: ModelMessage): Part {
  if (message.role === 'tool') return { result: message.callId };
  return message.role === 'assistant' ? { calls: message.toolCalls.map(({ id }) => id) } : 'other';
}

function shownPart(message: ChatMessage): Part {
  if (message.role === 'tool') return { result: message.toolCallId ?? '' };
  return message.role === 'assistant' ? { calls: message.toolCalls?.map(({ id }) => id) ?? [] } : 'other';
}

/** Written apart from the service's own check, so that the two can disagree. */
function pairProblems(parts: readonly Part[], lastMayWait = false): string[] {
  const found: string[] = [];
  let asked: string[] = [];
  let answered: string[] = [];
  const close = (): void => {
    for (const id of asked) if (!answered.includes(id)) found.push(`call ${id} has no result`);
  };
  for (const part of parts) {
    if (part !== 'other' && 'result' in part) {
      if (!asked.includes(part.result)) found.push(`the result of ${part.result} follows no such call`);
      if (answered.includes(part.result)) found.push(`call ${part.result} has two results`);
      answered.push(part.result);
      continue;
    }
    close();
    asked = part === 'other' ? [] : part.calls;
    answered = [];
    if (new Set(asked).size < asked.length) found.push('a call id comes twice in one reply');
  }
  if (!lastMayWait) close();
  return found;
}

function repeatedBodies(facts: readonly Fact[]): string[] {
  const times = new Map<string, number>();
  for (const fact of facts) if (fact.kind === 'tool') times.set(fact.callId, (times.get(fact.callId) ?? 0) + 1);
  return [...times].flatMap(([callId, count]) => (count > 1 ? [`call ${callId} ran ${count} times`] : []));
}

function revivedCalls(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  const known = new Set<string>();
  let old = new Set<string>();
  let crashed = false;
  let booted = false;
  for (const fact of facts) {
    if (fact.kind === 'crash') {
      old = new Set(known);
      crashed = true;
    }
    if (fact.kind === 'boot') booted = crashed;
    // What the first reading of a life shows was there before it.
    if (fact.kind === 'reading' && booted) for (const id of callsOf(fact.detail.messages)) old.add(id);
    if (fact.kind === 'reading') booted = false;
    if (fact.kind === 'event' && fact.envelope.event.type === 'message.completed')
      for (const id of callsOf([fact.envelope.event.message])) known.add(id);
    if (fact.kind === 'tool' && old.has(fact.callId)) found.push(`call ${fact.callId} of an earlier life was executed`);
  }
  return found;
}

function callsOf(messages: readonly ChatMessage[]): string[] {
  return messages.flatMap(({ toolCalls }) => toolCalls?.map(({ id }) => id) ?? []);
}

function wrongDecisions(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  const callOf = new Map<string, string>();
  const decided = new Map<string, boolean>();
  const resolved = new Map<string, boolean>();
  const started = new Map<string, number>();
  const approvedCalls = new Set<string>();
  for (const fact of facts) {
    if (fact.kind === 'answer' && fact.asked.verb === 'decide' && fact.status === 200) {
      const { approvalId = '', approved = false } = fact.asked;
      if (decided.has(approvalId)) found.push(`approval ${approvalId} was decided twice`);
      decided.set(approvalId, approved);
    }
    if (fact.kind === 'tool' && fact.asks) started.set(fact.callId, (started.get(fact.callId) ?? 0) + 1);
    if (fact.kind !== 'event') continue;
    const { event } = fact.envelope;
    if (event.type === 'approval.requested') callOf.set(event.approval.id, event.approval.call.id);
    if (event.type !== 'approval.resolved') continue;
    if (resolved.has(event.approvalId)) found.push(`approval ${event.approvalId} was resolved twice`);
    resolved.set(event.approvalId, event.approved);
    if (event.approved) approvedCalls.add(callOf.get(event.approvalId) ?? '');
  }
  for (const [id, approved] of decided) {
    const told = resolved.get(id);
    if (told !== undefined && told !== approved)
      found.push(`approval ${id} was answered ${approved}, but resolved as ${told}`);
  }
  for (const callId of started.keys())
    if (!approvedCalls.has(callId)) found.push(`call ${callId} ran without an approval`);
  return found;
}
