import type { HubEnvelope } from './hub-protocol.ts';

/** Joins neighbouring deltas of one message and channel. Linear; the order of everything else stays. */
export function mergeDeltas(envelopes: readonly HubEnvelope[]): HubEnvelope[] {
  const merged: HubEnvelope[] = [];
  let parts: HubEnvelope[] = [];
  const close = (): void => {
    const first = parts[0];
    if (first) merged.push(parts.length === 1 ? first : joined(parts));
    parts = [];
  };
  for (const envelope of envelopes) {
    if (parts[0] && !continues(parts[0], envelope)) close();
    if (envelope.event.type === 'message.delta') parts.push(envelope);
    else {
      close();
      merged.push(envelope);
    }
  }
  close();
  return merged;
}

/** The part of a merged delta that is newer than `seq`; undefined when all of it is known. */
export function newerThan(envelope: HubEnvelope, seq: number): HubEnvelope | undefined {
  if (envelope.seq <= seq) return undefined;
  const { event, cuts } = envelope;
  if (!cuts || event.type !== 'message.delta') return envelope;
  let known = 0;
  for (let at = 0; at < cuts.length; at += 2) if ((cuts[at] ?? 0) <= seq) known = cuts[at + 1] ?? known;
  return known === 0 ? envelope : { ...envelope, event: { ...event, delta: event.delta.slice(known) } };
}

function continues({ event: a }: HubEnvelope, { event: b }: HubEnvelope): boolean {
  return (
    a.type === 'message.delta' &&
    b.type === 'message.delta' &&
    a.messageId === b.messageId &&
    a.channel === b.channel &&
    a.sessionId === b.sessionId
  );
}

function joined(parts: readonly HubEnvelope[]): HubEnvelope {
  const cuts: number[] = [];
  let delta = '';
  for (const { seq, event } of parts) {
    if (event.type !== 'message.delta') continue;
    delta += event.delta;
    cuts.push(seq, delta.length);
  }
  const last = parts[parts.length - 1] as HubEnvelope;
  return last.event.type === 'message.delta' ? { ...last, event: { ...last.event, delta }, cuts } : last;
}
