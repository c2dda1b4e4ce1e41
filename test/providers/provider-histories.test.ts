import * as fc from 'fast-check';
import { suite } from 'uvu';
import type { ModelMessage } from '../../lib/models/model.ts';
import type { ImageAttachment } from '../../lib/wire/message.ts';
import { checkChatRequest } from '../helpers/scripted-model/check-chat-request.ts';
import { checkMessagesRequest } from '../helpers/scripted-model/check-messages-request.ts';
import { anthropic, chat, image, signed, tool } from './request-kit.ts';

const test = suite('A request to a provider');

test('is one that the strictest server accepts, for every history that the runtime can produce', () => {
  const text = fc.constantFrom('', ' ', 'Hello', 'ünïcödé 🌍', '\n');
  const images = fc.constantFrom<(ImageAttachment[] | undefined)[]>(undefined, [image], [image, image]);
  const meta = fc.constantFrom({}, signed('m', 'a'), signed('m', 'b'), signed('x', 'c'), { thinking: 'junk' });
  const id = fc.constantFrom('a', 'b', 'a', 'call 1', 'c:ü', 'toolu_1');
  const name = fc.constantFrom('look', 'functions.look', '', 'x'.repeat(80));
  const user = fc
    .record({ text, images })
    .map(({ text: content, images: some }): ModelMessage[] => [
      { role: 'user', content, ...(some ? { images: some } : {}) },
    ]);
  const assistant = fc
    .record({
      text,
      meta,
      ids: fc.uniqueArray(id, { maxLength: 3 }),
      name,
      output: text,
      images,
      isError: fc.boolean(),
    })
    .map(({ text: content, meta: kept, ids, name: called, output, images: some, isError }): ModelMessage[] => [
      {
        role: 'assistant',
        content,
        meta: kept,
        toolCalls: ids.map((each) => ({ id: each, name: called, arguments: { a: each } })),
      },
      ...ids.map(
        (callId): ModelMessage => ({
          role: 'tool',
          callId,
          name: called,
          content: output,
          isError,
          ...(some ? { images: some } : {}),
        }),
      ),
    ]);
  const options = fc.record({
    cache: fc.boolean(),
    thinkingBudget: fc.constantFrom(undefined, 1024, 20_000),
    supportsTools: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(user, assistant), { maxLength: 6 }),
      options,
      fc.boolean(),
      fc.constantFrom('', 'Be kind.'),
      (parts, given, offersTools, system) => {
        const request = { system, tools: offersTools ? [tool] : [], temperature: 0.5 };
        checkMessagesRequest(anthropic(parts.flat(), given, request), new Set());
        checkChatRequest(chat(parts.flat(), given, request));
      },
    ),
    { numRuns: 1_000 },
  );
});

test.run();
