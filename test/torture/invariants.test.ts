import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ServerEventEnvelope } from '../../lib/wire/event.ts';
import type { ChatMessage } from '../../lib/wire/message.ts';
import { breaches, invariants } from './invariants/all.ts';
import type { Fact, Observation } from './invariants/history.ts';
import * as sample from './invariants/sample.ts';

const test = suite('The invariants I1 to I26');
const { about, answer, compacted, completed, created, deleted, delta, finished, history, post, reading } = sample;
const { said, started, turn, updated, usageOf } = sample;

const boot: Fact = { kind: 'boot', life: 0 };
const crash: Fact = { kind: 'crash' };
const runs = (callId: string, asks = false): Fact => ({ kind: 'tool', ...about, callId, asks });
const asked = (approval: string, id: string) =>
  ({
    type: 'approval.requested',
    ...about,
    approval: {
      id: approval,
      call: { id, name: 'risky', arguments: {} },
      reason: '',
      requestedAt: '',
      expiresAt: '',
      ...about,
      rootSessionId: 's',
    },
  }) as const;
const resolved = (approvalId: string, approved: boolean) =>
  ({ type: 'approval.resolved', ...about, approvalId, approved }) as const;
const pair = [said.user('u'), said.assistant('a', 'c'), said.tool('t', 'c')];
const rewound = (messageId: string, ...messages: ChatMessage[]) =>
  ({ type: 'session.rewound', ...about, messageId, messages }) as const;

/** A stream of session `s` that shows the events of a history with these numbers. */
function streamOf({ facts }: Observation, numbers: readonly number[]): Fact {
  const all = facts.flatMap((fact): ServerEventEnvelope[] => (fact.kind === 'event' ? [fact.envelope] : []));
  const envelopes = numbers.flatMap((seq) => all.find((envelope) => envelope.seq === seq) ?? []);
  return { kind: 'stream', tenantId: 'a', sessionId: 's', after: 0, life: 0, drained: true, envelopes };
}

const healthy = history(
  boot,
  created,
  updated('idle'),
  ...turn('1'),
  reading('idle', [said.user('u1'), said.assistant('a1')], 10),
  ...turn('2', 10),
  reading('idle', [said.user('u1'), said.assistant('a1'), said.user('u2'), said.assistant('a2')], 20),
  rewound('u2', said.user('u1'), said.assistant('a1')),
);

/** What a run did at the crash, and nobody was told: two messages became a summary. */
const summaryOf = (count: number): ChatMessage => ({
  ...said.assistant('short'),
  meta: { compacted: count, tokensBefore: 9, tokensAfter: 5 },
});
const toldBeforeCrash = [
  ...[post('u1'), completed(said.user('u1')), completed(said.assistant('a1'))],
  ...[post('u2'), completed(said.user('u2')), post('u3'), completed(said.user('u3'))],
];

/** One message, and a rewind to it that was answered. */
function rewoundTo(messageId: string) {
  const body = { messageId, removed: 1, warning: null };
  return [post(messageId), completed(said.user(messageId)), answer({ verb: 'rewind', messageId }, 200, body)] as const;
}

/** For each invariant, what must be noticed; every one of these would be a broken promise of the service. */
const broken: Record<string, Observation[]> = {
  I1: [history(started('r'), started('q')), history(post('u'), post('u'))],
  I2: [
    history(post('u'), reading('idle', [])),
    history(post('u'), reading('idle', [said.user('u'), { ...said.user('u'), id: 'u2' }])),
    history(post('u'), completed(said.user('u')), crash, boot, reading('interrupted', [])),
    history(...toldBeforeCrash, crash, boot, reading('interrupted', [summaryOf(2), said.user('u3')])),
    // Only what the rewind removed may be missing, and that must be.
    history(post('t'), completed(said.user('t')), ...rewoundTo('u'), crash, boot, reading('idle', [])),
    history(...rewoundTo('u'), rewound('u'), post('v'), completed(said.user('v')), crash, boot, reading('idle', [])),
  ],
  I3: [
    history(started('r'), finished('r'), finished('r')),
    history(started('r'), reading('idle', [])),
    history(finished('r')),
  ],
  I4: [
    history(started('r'), finished('r'), delta),
    history(deleted, updated('idle')),
    history(started('r'), crash, boot, delta),
  ],
  I5: [
    { ...healthy, facts: [...healthy.facts, streamOf(healthy, [1, 2, 3, 5])] },
    { ...healthy, facts: [...healthy.facts, streamOf(healthy, [1, 3, 2])] },
    { ...healthy, facts: healthy.facts.filter(({ kind }, at) => kind !== 'event' || at !== 5) },
  ],
  I6: [
    {
      ...healthy,
      facts: [
        ...healthy.facts,
        {
          kind: 'stream',
          tenantId: 'b',
          after: 0,
          life: 1,
          drained: false,
          envelopes: [{ seq: 1, at: '', event: delta }],
        },
      ],
    },
  ],
  I7: [
    history({
      kind: 'request',
      ...about,
      messages: [{ role: 'tool', callId: 'c', name: 'n', content: '', isError: false }],
    }),
    history(reading('idle', pair.slice(0, 2))),
    history(reading('idle', [...pair, said.tool('t2', 'c')])),
    history(reading('interrupted', [...pair.slice(0, 2), said.user('u2')])),
  ],
  I8: [history(runs('c'), runs('c'))],
  I9: [
    history(completed(said.assistant('a', 'c')), crash, boot, runs('c')),
    history(crash, boot, reading('interrupted', pair.slice(0, 2)), runs('c')),
  ],
  I10: [history({ kind: 'veto', what: 'post', before: 'one message', after: 'two messages' })],
  I11: [history(updated('idle'), updated('error')), history(updated('running'), crash, boot, reading('running', []))],
  I12: [
    history(completed(said.user('u')), reading('idle', [])),
    history(reading('idle', [said.user('u'), said.user('u')])),
    history(completed(said.user('u')), reading('idle', [{ ...said.user('u'), content: 'other' }])),
    history(completed(said.user('u')), completed(said.user('v')), crash, boot, reading('idle', [said.user('v')])),
  ],
  I13: [
    history(completed(said.assistant('a')), rewound('a')),
    history(completed(said.user('u')), completed(said.user('v')), rewound('v')),
    history(updated('idle', 10), completed(said.user('u')), rewound('u'), updated('idle', 0)),
    history(
      completed(said.user('u')),
      rewound('u'),
      answer({ verb: 'rewind', messageId: 'u' }, 200, { removed: 2, warning: 'w' }),
    ),
  ],
  I14: [
    history(answer({ verb: 'rewind' }, 200, { restored: null, warning: null })),
    history(answer({ verb: 'rewind' }, 200, { messageId: 'u', warning: 'w' }), reading('idle', [said.user('u')])),
  ],
  I15: [
    history(...pair.map(completed), completed(said.assistant('sum')), compacted(2, 1)),
    history(completed(said.user('u')), completed(said.user('v')), completed(said.assistant('sum')), compacted(1, 1)),
  ],
  I16: [
    history(answer({ verb: 'delete' }, 204), reading('idle', [])),
    history(answer({ verb: 'delete' }, 204), { kind: 'list', tenantId: 'a', ids: ['s'] }),
    history(answer({ verb: 'delete' }, 204), answer({ verb: 'post', content: 'x' }, 202, {}, 1)),
    history({ kind: 'disk', files: [], remains: ['log/1.log'] }),
  ],
  I17: [
    history({ ...reading('idle', []), detail: { ...sample.detail('idle', []), messageCount: 1 } } as Fact),
    history({ kind: 'completion', ...about, usage: usageOf(10) }, reading('idle', [], 20)),
    history({ kind: 'list', tenantId: 'a', ids: ['s'] }, { kind: 'usage', tenantId: 'a', sessions: 2, totalTokens: 0 }),
    history({ kind: 'list', tenantId: 'a', ids: [] }, { kind: 'usage', tenantId: 'a', sessions: 0, totalTokens: 9 }),
  ],
  I18: [
    history(started('r'), { type: 'run.started', sessionId: 'z', runId: 'q' }),
    history(created, { ...created, sessionId: 'z' } as Fact, updated('idle')),
    history(reading('idle', [], 100), started('r')),
  ],
  I19: [history({ kind: 'trace', drivers: ['file', 'memory'], first: ['201', '202'], second: ['201', '409'] })],
  I20: [history({ kind: 'recovered', first: 'two messages', second: 'one message' })],
  I21: [history({ kind: 'processes', when: 'cancel', left: ['sleep 60'] })],
  I22: [history({ kind: 'disk', files: [{ path: 'sessions/s.json.tmp', ageMs: -5 }], remains: [] })],
  I23: [
    history(asked('p', 'c'), resolved('p', true), resolved('p', true)),
    history(asked('p', 'c'), resolved('p', false), runs('c', true)),
    history(...[1, 2].map(() => answer({ verb: 'decide', approvalId: 'p', approved: true }, 200))),
    history(answer({ verb: 'decide', approvalId: 'p', approved: false }, 200), asked('p', 'c'), resolved('p', true)),
  ],
  I24: [
    history({ kind: 'foreign', what: 'GET', foreign: '404 no', missing: '404 none' }),
    history({ kind: 'foreign', what: 'GET', foreign: '200 yes', missing: '200 yes' }),
  ],
  I25: [history({ kind: 'text', where: 'the log', text: 'it is hush-hush.' })],
  I26: [
    history(started('r'), { kind: 'completion', ...about, usage: usageOf(10) }, finished('r', 5), reading('idle', [])),
    history(started('r'), { kind: 'completion', ...about, usage: usageOf(5) }, finished('r', 10)),
  ],
};

test('there are 26 of them, each once and each with a sentence', () => {
  const ids = invariants.map(({ id }) => id);
  assert.equal(
    ids,
    Array.from({ length: 26 }, (_, at) => `I${at + 1}`),
  );
  assert.ok(invariants.every(({ says }) => says.length > 20));
});

test('a history in which every promise was kept breaks none', () => {
  const last = healthy.facts.filter(({ kind }) => kind === 'event').length;
  const whole = streamOf(
    healthy,
    Array.from({ length: last }, (_, at) => at + 1),
  );
  assert.equal(breaches({ ...healthy, facts: [...healthy.facts, whole] }), []);
});

test('a compaction that a crash kept from being told takes what it replaced, and nothing else', () => {
  const shown = reading('interrupted', [summaryOf(2), said.user('u2'), said.user('u3')]);
  assert.equal(breaches(history(...toldBeforeCrash, crash, boot, shown)), []);
});

test('a rewind whose answer was told, and whose event a crash held back, takes what it removed', () => {
  const story = history(...rewoundTo('u'), crash, boot, reading('idle', []));
  const about = breaches(story).filter((text) => /^I(2|12|13) /.test(text));
  assert.equal(about, []);
});

for (const { id, says, check } of invariants)
  test(`${id} notices that not: ${says}`, () => {
    const cases = broken[id] ?? [];
    assert.ok(cases.length > 0, 'there is a history that breaks it');
    for (const [at, observation] of cases.entries())
      assert.ok(check(observation).length > 0, `history ${at + 1} of ${id} is not noticed`);
  });

test.run();
