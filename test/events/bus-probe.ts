import * as assert from 'uvu/assert';
import type { EventCursor } from '../../lib/events/event-bus.ts';
import type { ServerEventEnvelope, SessionEvent } from '../../lib/wire/event.ts';

export const clock = { now: () => 1_700_000_000_000 };
export const delta = (sessionId: string, text: string, messageId = 'msg_1'): SessionEvent => ({
  type: 'message.delta',
  sessionId,
  messageId,
  channel: 'text',
  delta: text,
});
export const scope = { tenantId: 'a', sessionId: 's1' };

/** What a cursor gives now, as envelopes; checks that every frame has the form of the contract. */
export function drain(cursor: EventCursor, maxBytes = 1 << 20): ServerEventEnvelope[] {
  const envelopes: ServerEventEnvelope[] = [];
  for (let text = cursor.take(maxBytes); typeof text === 'string'; text = cursor.take(maxBytes)) {
    for (const frame of text.split(/(?<=\n\n)/)) {
      const match = /^id: (\d+)\ndata: ([^\n]*)\n\n$/.exec(frame);
      if (!match) throw new Error(`not a frame: ${frame}`);
      const envelope = JSON.parse(match[2] ?? '') as ServerEventEnvelope;
      assert.is(envelope.seq, Number(match[1]));
      envelopes.push(envelope);
    }
  }
  return envelopes;
}
export const texts = (envelopes: ServerEventEnvelope[]) =>
  envelopes.map(({ event }) => (event.type === 'message.delta' ? event.delta : event.type));
