import { type Fact, type Invariant, isRunEnd, type Observation, perSession, sessionOf } from './history.ts';

export const accountingInvariants: readonly Invariant[] = [
  {
    id: 'I10',
    says: 'what a guard refused changed nothing that can be seen',
    check: ({ facts }) =>
      facts.flatMap((fact) =>
        fact.kind === 'veto' && fact.before !== fact.after
          ? [`${fact.what} was refused and left a trace: ${fact.before} became ${fact.after}`]
          : [],
      ),
  },
  {
    id: 'I17',
    says: 'messageCount, usage and the tenant totals equal what they are counted from',
    check: (observation) => [...perSession(observation, wrongCounts), ...wrongTotals(observation)],
  },
  {
    id: 'I18',
    says: 'requests at the same time never take a tenant over its quota',
    check: overQuota,
  },
  {
    id: 'I26',
    says: 'the usage of a finished run is the sum of what its providers counted',
    check: (observation) => perSession(observation, wrongRunUsage),
  },
];

function wrongCounts(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  let counted = 0;
  /** What a crash or a stop may have kept from being counted. */
  let atLeast = 0;
  let exact = true;
  for (const fact of facts) {
    if (fact.kind === 'completion') counted += fact.usage?.totalTokens ?? 0;
    if (fact.kind === 'crash') exact = false;
    if (fact.kind === 'event' && isStop(fact)) exact = false;
    if (fact.kind !== 'reading' || !fact.quiet) continue;
    const { messageCount, messages, usage } = fact.detail;
    if (messageCount !== messages.length) found.push(`messageCount is ${messageCount} of ${messages.length} messages`);
    const fits = exact ? usage.totalTokens === counted : usage.totalTokens >= atLeast && usage.totalTokens <= counted;
    if (!fits) found.push(`usage is ${usage.totalTokens}, the providers counted ${counted}`);
    if (usage.inputTokens + usage.outputTokens !== usage.totalTokens)
      found.push(`usage does not add up: ${JSON.stringify(usage)}`);
    counted = usage.totalTokens;
    atLeast = counted;
    exact = true;
  }
  return found;
}

function isStop(fact: Fact): boolean {
  const event = fact.kind === 'event' ? fact.envelope.event : undefined;
  return event?.type === 'run.finished' && event.status === 'cancelled';
}

function wrongTotals({ facts }: Observation): string[] {
  const listed = new Map<string, readonly string[]>();
  const tokens = new Map<string, number>();
  return facts.flatMap((fact) => {
    if (fact.kind === 'list') listed.set(fact.tenantId, fact.ids);
    if (fact.kind === 'reading' && fact.quiet) tokens.set(fact.detail.id, fact.detail.usage.totalTokens);
    const ids = fact.kind === 'usage' ? listed.get(fact.tenantId) : undefined;
    if (fact.kind !== 'usage' || ids === undefined) return [];
    const sum = ids.reduce((total, id) => total + (tokens.get(id) ?? 0), 0);
    const found: string[] = [];
    if (fact.sessions !== ids.length) found.push(`${fact.tenantId}: ${fact.sessions} sessions of ${ids.length}`);
    if (fact.totalTokens !== sum) found.push(`${fact.tenantId}: ${fact.totalTokens} tokens of ${sum}`);
    return found;
  });
}

function overQuota({ facts, quotas }: Observation): string[] {
  const found: string[] = [];
  const kept = new Map<string, Set<string>>();
  const running = new Map<string, Set<string>>();
  const setOf = (sets: Map<string, Set<string>>, tenantId: string): Set<string> => {
    const set = sets.get(tenantId) ?? new Set<string>();
    sets.set(tenantId, set);
    return set;
  };
  for (const fact of facts) {
    if (fact.kind === 'crash') running.clear();
    if (fact.kind === 'answer' && fact.asked.verb === 'create' && fact.status === 201)
      setOf(kept, fact.tenantId).add(fact.sessionId);
    if (fact.kind === 'answer' && fact.asked.verb === 'delete' && fact.status === 0)
      setOf(kept, fact.tenantId).delete(fact.sessionId);
    if (fact.kind !== 'event') continue;
    const id = sessionOf(fact.envelope) ?? '';
    const { type } = fact.envelope.event;
    if (type === 'session.deleted') setOf(kept, fact.tenantId).delete(id);
    if (type === 'run.started') setOf(running, fact.tenantId).add(id);
    if (isRunEnd(type) || type === 'session.deleted') setOf(running, fact.tenantId).delete(id);
    const { maxSessions = Infinity, maxConcurrentRuns = Infinity } = quotas[fact.tenantId] ?? {};
    const runs = setOf(running, fact.tenantId).size;
    const sessions = setOf(kept, fact.tenantId).size;
    if (runs > maxConcurrentRuns) found.push(`${fact.tenantId}: ${runs} runs, ${maxConcurrentRuns} are allowed`);
    if (sessions > maxSessions) found.push(`${fact.tenantId}: ${sessions} sessions, ${maxSessions} are allowed`);
  }
  return [...found, ...startsOverTokens(facts, quotas)];
}

/** No run starts once the tenant's tokens, as its sessions showed them, are used up. */
function startsOverTokens(facts: readonly Fact[], quotas: Observation['quotas']): string[] {
  const found: string[] = [];
  const tokens = new Map<string, Map<string, number>>();
  for (const fact of facts) {
    if (fact.kind === 'reading' && fact.quiet) {
      const ofTenant = tokens.get(fact.tenantId) ?? new Map<string, number>();
      tokens.set(fact.tenantId, ofTenant.set(fact.detail.id, fact.detail.usage.totalTokens));
    }
    if (fact.kind !== 'event') continue;
    const { event } = fact.envelope;
    if (event.type === 'session.deleted') tokens.get(fact.tenantId)?.delete(event.sessionId);
    const { maxTokens } = quotas[fact.tenantId] ?? {};
    if (event.type !== 'run.started' || maxTokens === undefined) continue;
    const used = [...(tokens.get(fact.tenantId)?.values() ?? [])].reduce((sum, each) => sum + each, 0);
    if (used >= maxTokens) found.push(`${fact.tenantId}: a run started with ${used} of ${maxTokens} tokens used`);
  }
  return found;
}

/** A session is free before the end of its run is told: the next run may be counting by then. So sums are compared, at rest. */
function wrongRunUsage(facts: readonly Fact[]): string[] {
  const found: string[] = [];
  /** What providers counted and no run has told yet. */
  let untold = 0;
  /** Of compactions, which belong to a run only when it made them. */
  let summaries = 0;
  /** A run was stopped, failed or lost: what it had counted may be told by nobody. */
  let isOpen = false;
  for (const fact of facts) {
    if (fact.kind === 'crash') isOpen = true;
    if (fact.kind === 'completion' && fact.isSummary === true) summaries += fact.usage?.totalTokens ?? 0;
    else if (fact.kind === 'completion') untold += fact.usage?.totalTokens ?? 0;
    const event = fact.kind === 'event' ? fact.envelope.event : undefined;
    if (event?.type === 'run.failed') isOpen = true;
    if (event?.type === 'run.finished') {
      const total = event.usage?.totalTokens ?? 0;
      if (event.status === 'cancelled') isOpen = true;
      if (total > untold + summaries)
        found.push(`run ${event.runId} says ${total} tokens, providers counted ${untold}`);
      untold = Math.max(0, untold - total);
    }
    if (fact.kind !== 'reading' || !fact.quiet || fact.detail.status === 'running') continue;
    if (untold > 0 && !isOpen) found.push(`${untold} tokens that providers counted are in the usage of no run`);
    [untold, summaries, isOpen] = [0, 0, false];
  }
  return found;
}
