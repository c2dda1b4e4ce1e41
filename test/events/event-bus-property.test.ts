import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEventBus } from '../../lib/events/create-event-bus.ts';
import type { EventCursor } from '../../lib/events/event-bus.ts';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import { clock, delta } from './bus-probe.ts';

const property = suite('Property: no event lost, doubled, misordered or misdirected');

property('every cursor sees its stream, strictly rising, complete but for what a gap announces', () => {
  const target = fc.record({ tenant: fc.constantFrom('a', 'b'), session: fc.constantFrom('1', '2', '3') });
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ do: fc.constant('publish' as const), target }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('notice' as const), target }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('subscribe' as const), target, wide: fc.boolean(), back: fc.nat(30) }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('take' as const),
        who: fc.nat(20),
        bytes: fc.integer({ min: 1, max: 900 }),
      }),
    },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 120 }), fc.integer({ min: 1, max: 12 }), (steps, capacity) => {
      const seed = 1_000;
      const bus = createEventBus({ clock, seed, capacity });
      const published: { seq: number; tenant: string; session: string }[] = [];
      const readers: { cursor: EventCursor; sees: (p: (typeof published)[number]) => boolean; at: number }[] = [];
      const check = (reader: (typeof readers)[number], text: string) => {
        for (const frame of text.split(/(?<=\n\n)/)) {
          const { seq, event } = JSON.parse(frame.slice(frame.indexOf('data: ') + 6)) as ServerEventEnvelope;
          const missed = published.filter((p) => reader.sees(p) && p.seq > reader.at && p.seq < seq);
          if (event.type === 'stream.gap') {
            assert.ok(seq >= reader.at);
            assert.ok(published.some((p) => reader.sees(p) && p.seq > reader.at && p.seq <= seq));
          } else {
            assert.ok(seq > reader.at, 'strictly rising');
            assert.equal(missed, [], 'nothing left out');
            assert.ok(published.some((p) => p.seq === seq && reader.sees(p)));
          }
          reader.at = seq;
        }
      };
      for (const action of steps) {
        if (action.do === 'publish') {
          const { tenant, session } = action.target;
          bus.publish({ tenantId: tenant, sessionId: tenant + session }, delta(tenant + session, 'x'));
          published.push({ seq: bus.lastSeq, tenant, session });
        } else if (action.do === 'notice') {
          bus.publish({ adminOnly: true }, { type: 'notice', level: 'info', message: 'm' });
          published.push({ seq: bus.lastSeq, tenant: '*', session: '*' });
        } else if (action.do === 'subscribe') {
          const { tenant, session } = action.target;
          const after = Math.max(seed, bus.lastSeq - action.back);
          const subscription = action.wide
            ? { tenantId: tenant, admin: true, after }
            : { tenantId: tenant, sessionId: tenant + session, after };
          const sees = (p: (typeof published)[number]) =>
            action.wide ? p.tenant === tenant || p.tenant === '*' : p.tenant === tenant && p.session === session;
          readers.push({ cursor: bus.subscribe(subscription), sees, at: after });
        } else {
          const reader = readers[action.who % Math.max(1, readers.length)];
          const text = reader?.cursor.take(action.bytes);
          if (reader && typeof text === 'string') check(reader, text);
        }
      }
      for (const reader of readers) {
        for (let text = reader.cursor.take(500); typeof text === 'string'; text = reader.cursor.take(500))
          check(reader, text);
        const last = published.filter((p) => reader.sees(p) && p.seq > reader.at);
        assert.equal(last, [], 'everybody arrives at the end');
      }
    }),
    { numRuns: 400 },
  );
});
property.run();
