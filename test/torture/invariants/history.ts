import type { ModelMessage } from '../../../lib/models/model.ts';
import type { ServerEventEnvelope } from '../../../lib/wire/event.ts';
import type { SessionDetail } from '../../../lib/wire/session.ts';
import type { Usage } from '../../../lib/wire/usage.ts';

/** What a client asked for. `content` of a post is unique in a history: it is how a message is found again. */
export interface Asked {
  verb:
    | ('create' | 'post' | 'resume' | 'cancel' | 'decide' | 'rewind' | 'restore' | 'checkpoint')
    | ('compact' | 'patch' | 'delete' | 'repair');
  content?: string;
  messageId?: string;
  approvalId?: string;
  approved?: boolean;
  restoreFiles?: boolean;
}

/** The part of a session's detail that the checks read. */
export type Reading = Omit<SessionDetail, 'pendingApprovals' | 'lastSeq'> & { lastSeq?: number };

/** One thing that was seen, from outside or at the edges that belong to the test: the provider and the tools. */
export type Fact =
  /** An answer to a client. `status` 0: none came, the process was gone. `sent` is the position of the history when it was sent. */
  | {
      kind: 'answer';
      tenantId: string;
      sessionId: string;
      asked: Asked;
      status: number;
      sent: number;
      body?: Record<string, unknown>;
    }
  /** An event in the order in which it was published. */
  | { kind: 'event'; tenantId: string; envelope: ServerEventEnvelope }
  /** One event stream from its opening to now. `after` is what the client had; `drained`: everything published had been read. */
  | {
      kind: 'stream';
      tenantId: string;
      sessionId?: string;
      after: number;
      life: number;
      drained: boolean;
      envelopes: readonly ServerEventEnvelope[];
    }
  /** GET of a session. `quiet`: nothing was going on but what waits (a model, a tool, a person). */
  | { kind: 'reading'; tenantId: string; detail: Reading; quiet: boolean }
  /** GET of the list. */
  | { kind: 'list'; tenantId: string; ids: readonly string[] }
  /** What a provider was sent, and what its answer counted; `usage` is absent when it told none. */
  | { kind: 'request'; sessionId: string; messages: readonly ModelMessage[] }
  | { kind: 'completion'; sessionId: string; usage?: Usage; isSummary?: boolean }
  /** The body of a tool began. `asks`: it needs an approval. */
  | { kind: 'tool'; sessionId: string; callId: string; asks: boolean }
  /** A guard refused: every session of the tenant before and after. */
  | { kind: 'veto'; what: string; before: string; after: string }
  /** GET /api/usage. */
  | { kind: 'usage'; tenantId: string; sessions: number; totalTokens: number }
  /** The same request for a session of another tenant and for one that never was: status, headers and body. */
  | { kind: 'foreign'; what: string; foreign: string; missing: string }
  /** Something that left the service, or lies in its directory in the form of a transcript. */
  | { kind: 'text'; where: string; text: string }
  /** The data directory after a boot: every file with its age relative to that boot (negative: older), and where a deleted id was found. */
  | { kind: 'disk'; files: readonly { path: string; ageMs: number }[]; remains: readonly string[] }
  /** Processes of tools that were left over 5 s after everything had ended. */
  | { kind: 'processes'; when: string; left: readonly string[] }
  /** The same commands on two drivers. */
  | { kind: 'trace'; drivers: readonly [string, string]; first: readonly string[]; second: readonly string[] }
  /** What a crashed directory recovers to, and what that recovers to when it crashes again. */
  | { kind: 'recovered'; first: string; second: string }
  /** The process is gone without a word; what comes next is said by another one. */
  | { kind: 'crash' }
  | { kind: 'boot'; life: number };

export type FactOf<Kind extends Fact['kind']> = Extract<Fact, { kind: Kind }>;

/** Limits of one tenant (contract: Quota usage record). */
export interface QuotaLimits {
  maxSessions?: number;
  maxConcurrentRuns?: number;
  maxTokens?: number;
}

/** Everything that was observed of one service over its lives, in order. */
export interface Observation {
  readonly facts: readonly Fact[];
  /** Values of the secret registry; no fact of kind `text` may hold one. */
  readonly secrets: readonly string[];
  readonly quotas: Readonly<Record<string, QuotaLimits>>;
}

/** One promise as an executable check: pure, over what was observed; empty when it held, else a sentence per breach. */
export interface Invariant {
  readonly id: `I${number}`;
  readonly says: string;
  check(observation: Observation): string[];
}

/** The ends of a run as events. */
export function isRunEnd(type: string): boolean {
  return type === 'run.finished' || type === 'run.failed';
}

/** A change that the service said it had stored. */
export function isAcknowledgement(fact: Fact): boolean {
  return fact.kind === 'answer' && fact.status >= 200 && fact.status < 300 && fact.asked.verb !== 'cancel';
}

/** The session that an event is about. */
export function sessionOf({ event }: ServerEventEnvelope): string | undefined {
  return 'sessionId' in event ? event.sessionId : undefined;
}

/** Everything but `crash`, `boot` and what is about no session, by session, with crashes and boots in every list. */
export function bySession({ facts }: Observation): Map<string, Fact[]> {
  const lists = new Map<string, Fact[]>();
  const breaks: Fact[] = [];
  for (const fact of facts) {
    if (fact.kind === 'crash' || fact.kind === 'boot') {
      breaks.push(fact);
      for (const list of lists.values()) list.push(fact);
      continue;
    }
    const id = idOf(fact);
    if (id === undefined) continue;
    const list = lists.get(id) ?? [...breaks];
    lists.set(id, list);
    list.push(fact);
  }
  return lists;
}

function idOf(fact: Fact): string | undefined {
  if (fact.kind === 'event') return sessionOf(fact.envelope);
  if (fact.kind === 'reading') return fact.detail.id;
  if (fact.kind === 'answer' || fact.kind === 'request' || fact.kind === 'completion' || fact.kind === 'tool')
    return fact.sessionId;
  return undefined;
}

/** The breaches of each session, each said with its id. */
export function perSession(observation: Observation, check: (facts: readonly Fact[]) => string[]): string[] {
  return [...bySession(observation)].flatMap(([id, facts]) => check(facts).map((text) => `${id}: ${text}`));
}
