import Anthropic from '@anthropic-ai/sdk';
import * as fc from 'fast-check';
import OpenAI from 'openai';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Completion } from '../../lib/models/model.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import type { Chunking, Reply, Step } from '../helpers/scripted-model/script.ts';
import { startScriptedModel } from '../helpers/scripted-model-server.ts';
import { within } from '../helpers/within.ts';
import { sendStream, startByteServer } from './byte-server.ts';
import { callModel, type LoadedProvider, loadProvider } from './provider-kit.ts';
import { loadRecordings, type Recording } from './recordings.ts';

/** What both sides made of an answer, in one form. Broken arguments are undefined. */
interface Reading {
  text: string;
  calls: { name: string; arguments: unknown }[];
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

const test = suite("The providers read the same bytes as their vendors' own SDKs");
const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
const recordings = loadRecordings();

if (recordings === undefined) console.log('SKIPPED recorded provider streams: PROVIDER_STREAMS names no folder');

for (const recording of recordings?.filter(isForSdks) ?? [])
  test(`recording ${recording.name}`, async () => {
    const server = await startByteServer((response) => sendStream(response, [recording.bytes]));
    const provider = await load(recording.api, server.url);
    try {
      const ours = await within(5_000, readOurs(provider));
      const theirs = await within(5_000, readTheirs(recording.api, server.url));
      assert.equal(ours, theirs);
    } finally {
      await provider.dispose();
      await server.close();
    }
  });

for (const api of ['chat-completions', 'messages'] as const)
  test(`any scripted answer of the ${api} kind, however it is cut`, async () => {
    const text = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });
    const args = fc.dictionary(
      fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__'),
      fc.jsonValue({ maxDepth: 2 }),
      { maxKeys: 3 },
    );
    const step: fc.Arbitrary<Step> = fc.oneof(
      text.map((parts) => ({ text: parts })),
      text.map((parts) => ({ reasoning: parts })),
      fc
        .record({ args, fragments: fc.integer({ min: 1, max: 9 }) })
        .map(({ args: given, fragments }) => ({ toolCall: { name: 'look', arguments: given, fragments } })),
    );
    const chunking = fc.constantFrom<Chunking>('event', 'whole', 'nasty', 1, 7);
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 4 }),
        chunking,
        fc.constantFrom('\n', '\r\n'),
        async (reply: Reply, how, newline) => {
          const server = await startScriptedModel({ answer: () => reply, chunking: how, newline });
          const provider = await load(api, server.url);
          try {
            const [ours, theirs] = await within(5_000, Promise.all([readOurs(provider), readTheirs(api, server.url)]));
            assert.equal(ours, theirs);
          } finally {
            await provider.dispose();
            await server.close();
          }
        },
      ),
      { numRuns: 15, interruptAfterTimeLimit: 4_000 },
    );
  });

test.run();

/** Not those that the vendor's SDK gives up on, or reads leniently (an argument object that was cut off). */
function isForSdks({ expect, api }: Recording): boolean {
  const isCut = expect.toolCalls.some((call) => call.arguments === null);
  return !expect.error && !isCut && (api === 'messages' || expect.finish !== null);
}

function load(api: Recording['api'], baseUrl: string): Promise<LoadedProvider> {
  const options = { baseUrl, model: 'm', apiKey: 'k' };
  return api === 'messages' ? loadProvider(messagesApi, options) : loadProvider(chatCompletions, options);
}

async function readOurs(provider: LoadedProvider): Promise<Reading> {
  const { completion } = await callModel(provider.model, { tools });
  const { content, toolCalls, usage }: Completion = completion;
  return {
    text: content,
    calls: toolCalls.map(({ name, arguments: given, problem }) => ({ name, arguments: problem ? undefined : given })),
    inputTokens: usage?.inputTokens,
    outputTokens: usage?.outputTokens,
  };
}

async function readTheirs(api: Recording['api'], url: string): Promise<Reading> {
  if (api === 'messages') {
    const client = new Anthropic({ apiKey: 'k', baseURL: url.replace(/\/v1$/, ''), maxRetries: 0 });
    const stream = client.messages.stream({ model: 'm', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] });
    const { content, usage } = await stream.finalMessage();
    return {
      text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: content.flatMap((block) =>
        block.type === 'tool_use' ? [{ name: block.name, arguments: block.input }] : [],
      ),
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
    };
  }
  const client = new OpenAI({ apiKey: 'k', baseURL: url, maxRetries: 0 });
  const stream = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    stream_options: { include_usage: true },
  });
  const reading: Reading = { text: '', calls: [], inputTokens: undefined, outputTokens: undefined };
  const written: { name: string; text: string }[] = [];
  for await (const { choices, usage } of stream) {
    const { content, tool_calls: fragments } = choices[0]?.delta ?? {};
    reading.text += typeof content === 'string' ? content : '';
    for (const { index = written.length, function: called } of fragments ?? []) {
      const call = written[index] ?? { name: '', text: '' };
      written[index] = call;
      call.name ||= called?.name ?? '';
      call.text += called?.arguments ?? '';
    }
    if (usage) Object.assign(reading, { inputTokens: usage.prompt_tokens, outputTokens: usage.completion_tokens });
  }
  return { ...reading, calls: written.map(({ name, text }) => ({ name, arguments: JSON.parse(text || '{}') })) };
}
