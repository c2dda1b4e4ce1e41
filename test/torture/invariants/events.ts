import type { ServerEventEnvelope } from '../../../lib/wire/event.ts';
import { type FactOf, type Invariant, type Observation, sessionOf } from './history.ts';

export const eventInvariants: readonly Invariant[] = [
  {
    id: 'I5',
    says: 'seq strictly rises, no stream has a hole, and a replay is the suffix of what was live',
    check: (observation) => [...brokenNumbers(observation), ...streams(observation).flatMap(holes(observation))],
  },
  {
    id: 'I6',
    says: 'a session stream shows its session alone, a tenant stream its tenant alone',
    check: (observation) => streams(observation).flatMap(strangers(observation)),
  },
];

function streams({ facts }: Observation): FactOf<'stream'>[] {
  return facts.filter((fact): fact is FactOf<'stream'> => fact.kind === 'stream');
}

/** The numbers of everything published: by one within a life, never back between lives. */
function brokenNumbers({ facts }: Observation): string[] {
  const found: string[] = [];
  let last: number | undefined;
  let fresh = true;
  for (const fact of facts) {
    if (fact.kind === 'boot') fresh = true;
    if (fact.kind !== 'event') continue;
    const { seq } = fact.envelope;
    if (last !== undefined && seq <= last) found.push(`seq ${seq} came after ${last}`);
    else if (last !== undefined && !fresh && seq !== last + 1) found.push(`seq ${seq} came after ${last}: a hole`);
    last = seq;
    fresh = false;
  }
  return found;
}

/** What was published in the life of a stream by the time that it was looked at. */
function publishedFor(
  stream: FactOf<'stream'>,
  { facts }: Observation,
): { tenantId: string; envelope: ServerEventEnvelope }[] {
  const found: { tenantId: string; envelope: ServerEventEnvelope }[] = [];
  let current = 0;
  for (const fact of facts) {
    if (fact === stream) break;
    if (fact.kind === 'boot') current = fact.life;
    if (fact.kind === 'event' && current === stream.life) found.push(fact);
  }
  return found;
}

function holes(observation: Observation): (stream: FactOf<'stream'>) => string[] {
  return (stream) => {
    const { tenantId, sessionId, after, life, drained, envelopes } = stream;
    const name = `stream of ${sessionId ?? tenantId} after ${after} in life ${life}`;
    const published = publishedFor(stream, observation);
    // A deletion takes the rest of a session out of the buffer, for those who replay it.
    const gone = new Set(published.flatMap(({ envelope: { event } }) => deletedBy(event)));
    const frames = envelopes.filter(({ event }) => event.type !== 'stream.gap');
    const told = new Set(frames.map(({ seq }) => seq));
    const last = frames.at(-1)?.seq ?? after;
    const found = frames.flatMap(({ seq }, at) =>
      seq > (frames[at - 1]?.seq ?? after) ? [] : [`${name}: seq ${seq} came after ${frames[at - 1]?.seq ?? after}`],
    );
    for (const { envelope, tenantId: owner } of published) {
      const { seq } = envelope;
      const belongs = sessionId === undefined ? owner === tenantId : sessionOf(envelope) === sessionId;
      const due = belongs && seq > after && (drained || seq <= last);
      const forgotten = gone.has(sessionOf(envelope) ?? '') && envelope.event.type !== 'session.deleted';
      if (due && !forgotten && !told.has(seq)) found.push(`${name}: ${envelope.event.type} ${seq} is missing`);
    }
    return found;
  };
}

function deletedBy(event: ServerEventEnvelope['event']): string[] {
  return event.type === 'session.deleted' ? [event.sessionId] : [];
}

function strangers({ facts }: Observation): (stream: FactOf<'stream'>) => string[] {
  const owners = new Map<string, string>();
  for (const fact of facts)
    if (fact.kind === 'answer' && fact.asked.verb === 'create') owners.set(fact.sessionId, fact.tenantId);
  return ({ tenantId, sessionId, envelopes }) =>
    envelopes.flatMap((envelope) => {
      const about = sessionOf(envelope);
      if (about === undefined) return [];
      const isOwn = sessionId === undefined ? owners.get(about) === tenantId : about === sessionId;
      const name = `stream of ${sessionId ?? tenantId}`;
      return isOwn ? [] : [`${name}: ${envelope.event.type} of ${about}, which is not its own`];
    });
}
