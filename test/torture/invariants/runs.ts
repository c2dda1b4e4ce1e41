import type { SessionStatus } from '../../../lib/wire/session.ts';
import { type Fact, type Invariant, isRunEnd, perSession } from './history.ts';
import { followReplica } from './replica.ts';

/** What a status may become. `running` becomes `interrupted` with the process alone. */
const successors: Record<SessionStatus, readonly SessionStatus[]> = {
  idle: ['running'],
  running: ['idle', 'cancelled', 'error', 'interrupted'],
  cancelled: ['running', 'idle'],
  error: ['running', 'idle'],
  interrupted: ['running', 'idle'],
};

const withinRun = new Set([
  'message.delta',
  'tool.started',
  'tool.finished',
  'approval.requested',
  'approval.resolved',
]);

export const runInvariants: readonly Invariant[] = [
  {
    id: 'I1',
    says: 'a session has at most one active run',
    check: (observation) => perSession(observation, overlappingRuns),
  },
  {
    id: 'I2',
    says: 'every message answered with 202 is in the transcript exactly once, after any crash',
    check: (observation) => perSession(observation, missingMessages),
  },
  {
    id: 'I3',
    says: 'every run.started has exactly one end, or the session is deleted, still running, or was interrupted',
    check: (observation) => perSession(observation, endlessRuns),
  },
  {
    id: 'I4',
    says: 'nothing of a run is published after its end, nothing of a session after its deletion',
    check: (observation) => perSession(observation, lateEvents),
  },
  {
    id: 'I11',
    says: 'a status is a legal successor of the one before',
    check: (observation) => perSession(observation, illegalStatuses),
  },
];

function overlappingRuns(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  const accepted = new Set<string>();
  let open: string | undefined;
  for (const fact of facts) {
    if (fact.kind === 'crash') open = undefined;
    if (fact.kind === 'answer' && fact.status === 202) {
      const runId = String(fact.body?.runId);
      if (accepted.has(runId)) found.push(`run ${runId} was accepted twice`);
      accepted.add(runId);
    }
    if (fact.kind !== 'event') continue;
    const { event } = fact.envelope;
    if (event.type === 'run.started') {
      if (open !== undefined) found.push(`run ${event.runId} started while ${open} was active`);
      open = event.runId;
    } else if (isRunEnd(event.type)) open = undefined;
  }
  return found;
}

function missingMessages(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  const expected = new Set<string>();
  /** Rewound or compacted, perhaps before the answer to the message itself arrived. */
  const gone = new Set<string>();
  const drop = (content: string): void => {
    gone.add(content);
    expected.delete(content);
  };
  followReplica(facts, {
    rewound: (before, event) => {
      const kept = new Set(event.messages.map(({ id }) => id));
      for (const { id, content } of before) if (!kept.has(id)) drop(content);
    },
    compacted: (before, event) => {
      for (const { content } of before.slice(0, event.removedMessages)) drop(content);
    },
    reading: (replica, detail, quiet) => {
      if (!quiet && !replica.unsure) return;
      for (const content of expected) {
        const times = detail.messages.filter((message) => message.role === 'user' && message.content === content);
        if (times.length === 1) continue;
        if (times.length === 0 && replica.mayShrink) expected.delete(content);
        else found.push(`the accepted message "${content}" is ${times.length} times in the transcript`);
      }
    },
    other: (fact) => {
      if (fact.kind !== 'answer' || fact.status !== 202) return;
      const { content } = fact.asked;
      if (content !== undefined && !gone.has(content)) expected.add(content);
    },
  });
  return found;
}

function endlessRuns(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  const ends = new Map<string, number>();
  let open: string | undefined;
  let status: string | undefined;
  for (const fact of facts) {
    if (fact.kind === 'crash') open = undefined;
    if (fact.kind === 'reading') status = fact.detail.status;
    if (fact.kind !== 'event') continue;
    const { event } = fact.envelope;
    if (event.type === 'run.started') open = event.runId;
    if (event.type === 'session.deleted') open = undefined;
    if (event.type !== 'run.finished' && event.type !== 'run.failed') continue;
    const times = (ends.get(event.runId) ?? 0) + 1;
    ends.set(event.runId, times);
    if (times > 1) found.push(`run ${event.runId} ended ${times} times`);
    if (event.runId !== open) found.push(`run ${event.runId} ended but was not active`);
    open = undefined;
  }
  if (open !== undefined && status !== undefined && status !== 'running')
    found.push(`run ${open} has no end, and the session is ${status}`);
  return found;
}

function lateEvents(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  let state: 'running' | 'between' | 'deleted' = 'between';
  for (const fact of facts) {
    if (fact.kind === 'crash' && state === 'running') state = 'between';
    if (fact.kind !== 'event') continue;
    const { event } = fact.envelope;
    if (state === 'deleted') found.push(`${event.type} after session.deleted`);
    else if (event.type === 'run.started') state = 'running';
    else if (isRunEnd(event.type)) state = 'between';
    else if (event.type === 'session.deleted') state = 'deleted';
    else if (state === 'between' && withinRun.has(event.type)) found.push(`${event.type} while no run is active`);
  }
  return found;
}

function illegalStatuses(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  let status: SessionStatus | undefined;
  let crashed = false;
  const see = (next: SessionStatus): void => {
    if (crashed && next === 'running') found.push('running after a boot that started no run');
    // A crash may hide changes that were stored and never told.
    if (!crashed && status !== undefined && next !== status && !successors[status].includes(next))
      found.push(`${status} became ${next}`);
    status = next;
    crashed = false;
  };
  for (const fact of facts) {
    if (fact.kind === 'crash') crashed = true;
    if (fact.kind === 'reading' && fact.quiet) see(fact.detail.status);
    if (fact.kind !== 'event' || fact.envelope.event.type !== 'session.updated') continue;
    // The first event of a life may be the start of a new run.
    if (crashed) status = fact.envelope.event.session.status;
    crashed = false;
    see(fact.envelope.event.session.status);
  }
  return found;
}
