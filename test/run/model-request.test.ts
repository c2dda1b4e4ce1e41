import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ProviderError } from '../../lib/models/model.ts';
import { pairedMessages } from '../../lib/run/model-request.ts';
import { retryDelay } from '../../lib/run/retry.ts';
import { cutText } from '../../lib/run/tool-text.ts';
import { unansweredCalls } from '../../lib/run/unanswered.ts';
import type { StoredMessage } from '../../lib/wire/message.ts';

const request = suite('A model request');
const createdAt = '2026-01-01T00:00:00.000Z';

/** Any sequence of messages at all, also ones that no run would ever leave behind. */
const anyHistory: fc.Arbitrary<StoredMessage[]> = fc
  .array(
    fc.oneof(
      fc.record({ role: fc.constantFrom('user', 'system'), content: fc.string() }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.string({ maxLength: 3 }),
        ids: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { maxLength: 3 }),
      }),
      fc.record({ role: fc.constant('tool'), content: fc.string(), toolCallId: fc.constantFrom('a', 'b', 'c', 'z') }),
    ),
    { maxLength: 30 },
  )
  .map((parts) =>
    parts.map((part, index): StoredMessage => {
      const { role, content } = part;
      const base = { id: `m${index}`, role: role as StoredMessage['role'], content, createdAt };
      if ('ids' in part && part.ids.length > 0)
        return { ...base, toolCalls: part.ids.map((id) => ({ id, name: 't', arguments: {} })) };
      return 'toolCallId' in part ? { ...base, toolCallId: part.toolCallId, toolName: 't' } : base;
    }),
  );

request('has exactly one result per tool call, directly behind it, and no others, whatever the history', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const paired = pairedMessages(history);
      for (let index = 0; index < paired.length; index++) {
        const message = paired[index];
        if (message?.role === 'system') return false;
        if (message?.role === 'tool') return false;
        if (message?.role === 'assistant' && !message.toolCalls && message.content === '') return false;
        for (const call of message?.toolCalls ?? []) if (paired[++index]?.toolCallId !== call.id) return false;
      }
      return history.filter((m) => m.role === 'user').length === paired.filter((m) => m.role === 'user').length;
    }),
    { numRuns: 2_000 },
  );
});

request('says what it had to repair', () => {
  const repairs = (...messages: Partial<StoredMessage>[]) => {
    const said: string[] = [];
    pairedMessages(
      messages.map(
        (message, index): StoredMessage => ({ id: `m${index}`, role: 'tool', content: 'x', createdAt, ...message }),
      ),
      (what) => said.push(what),
    );
    return said;
  };
  const asks: Partial<StoredMessage> = { role: 'assistant', toolCalls: [{ id: 'a', name: 't', arguments: {} }] };
  assert.equal(repairs({ role: 'user' }, asks, { toolCallId: 'a' }, { role: 'system' }), []);
  assert.equal(repairs(asks), ['a call without a result got one (m0)']);
  assert.equal(repairs(asks, { toolCallId: 'a' }, { toolCallId: 'a' }), [
    'a result without its call was left out (m2)',
  ]);
  assert.equal(repairs({ toolCallId: 'z' }), ['a result without its call was left out (m0)']);
});

request('is the history itself when nothing is wrong with it', () => {
  const history: StoredMessage[] = [
    { id: '1', role: 'user', content: 'hi', createdAt },
    {
      id: '2',
      role: 'assistant',
      content: '',
      toolCalls: [
        { id: 'a', name: 't', arguments: {} },
        { id: 'b', name: 't', arguments: {} },
      ],
      createdAt,
    },
    { id: '3', role: 'tool', content: 'A', toolCallId: 'a', createdAt },
    { id: '4', role: 'tool', content: 'B', toolCallId: 'b', createdAt },
    { id: '5', role: 'assistant', content: 'done', createdAt },
  ];
  assert.equal(pairedMessages(history), history);
  assert.equal(unansweredCalls(history), []);
  assert.equal(
    unansweredCalls(history.slice(0, 3)).map((call) => call.id),
    ['b'],
  );
  assert.equal(
    unansweredCalls(history.slice(0, 2)).map((call) => call.id),
    ['a', 'b'],
  );
});

const retry = suite('Retries');
const policy = { attempts: 3, baseDelayMs: 500, maxDelayMs: 8_000 };

retry('grow exponentially with jitter up to the cap and end with the last attempt', () => {
  const error = new ProviderError('busy', { retryable: true });
  const delays = (random: number) => [1, 2, 3].map((attempt) => retryDelay(policy, { attempt, error, random }));
  assert.equal(delays(0), [250, 500, undefined]);
  assert.equal(delays(0.999_999), [500, 1_000, undefined]);
  assert.is(retryDelay({ ...policy, attempts: 99 }, { attempt: 40, error, random: 0.999_999 }), 8_000);
  assert.is(retryDelay({ ...policy, attempts: 1 }, { attempt: 1, error, random: 0 }), undefined);
});

retry('follow the hint of the provider, capped, and never touch a final failure', () => {
  const hinted = (retryAfterMs: number) =>
    retryDelay(policy, {
      attempt: 1,
      error: new ProviderError('busy', { retryable: true, retryAfterMs }),
      random: 0.5,
    });
  assert.is(hinted(1_200), 1_200);
  assert.is(hinted(3_600_000), 8_000);
  assert.is(hinted(0), 0);
  assert.is(retryDelay(policy, { attempt: 1, error: new ProviderError('no'), random: 0.5 }), undefined);
});

const text = suite('A tool result that is too long');

text('keeps head and tail, says how much is missing, and splits no character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), fc.integer({ min: 60, max: 200 }), (value, max) => {
      const cut = cutText(value, max);
      assert.ok(cut.length <= Math.max(max, 60));
      assert.is(Buffer.from(cut).toString(), cut);
      if (value.length <= max) assert.is(cut, value);
    }),
  );
  const cut = cutText(`${'a'.repeat(500)}${'z'.repeat(500)}`, 200);
  assert.match(cut, /^a+\n\n\[… 800 characters left out …\]\n\nz+$/);
});

request.run();
retry.run();
text.run();
