import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Completion } from '../../lib/models/model.ts';
import type { DeltaChannel } from '../../lib/wire/event.ts';
import chatCompletions from '../../plugins/chat-completions/index.ts';
import messagesApi from '../../plugins/messages-api/index.ts';
import { within } from '../helpers/within.ts';
import { nastyPieces, sendStream, singleBytes, startByteServer } from './byte-server.ts';
import { callModel, type LoadedProvider, loadProvider, textOf } from './provider-kit.ts';
import { loadRecordings, type Recording, readRecording } from './recordings.ts';

type Deltas = [DeltaChannel, string][];

const recordings = loadRecordings();
/** Sending single bytes over HTTP takes its time; longer recordings are cut so in memory only. */
const longestDrip = 2_500;

const test = suite('A recorded answer of a real provider yields exactly the same, however it is cut');

if (recordings === undefined) {
  console.log('SKIPPED recorded provider streams: PROVIDER_STREAMS names no folder');
  test('needs PROVIDER_STREAMS', () => {});
}

for (const recording of recordings ?? []) {
  const crlf = Buffer.from(recording.bytes.toString('utf8').replace(/\r?\n/g, '\r\n'));

  test(`${recording.name}: over HTTP, whole, inside characters and line ends, and byte by byte`, async () => {
    const drip = recording.bytes.length <= longestDrip ? [singleBytes(recording.bytes)] : [];
    const forms = [[recording.bytes], nastyPieces(recording.bytes), nastyPieces(crlf, 120), ...drip];
    const server = await startByteServer((response, number) => sendStream(response, forms[number] ?? []));
    const provider = await load(recording, server.url);
    try {
      for (const _ of forms) {
        const deltas: Deltas = [];
        const outcome = within(10_000, callModel(provider.model, {}, { deltas }), 'the answer');
        await check(
          recording,
          outcome.then(({ completion }) => completion),
          deltas,
        );
      }
      if (!recording.expect.error) assert.is(server.connections(), 1, 'one kept connection serves all calls');
    } finally {
      await provider.dispose();
      await server.close();
    }
  });

  test(`${recording.name}: in memory, byte by byte, with either line end`, async () => {
    for (const bytes of [recording.bytes, crlf]) {
      const deltas: Deltas = [];
      const onDelta = (channel: DeltaChannel, delta: string) => void deltas.push([channel, delta]);
      await check(recording, readRecording(recording, singleBytes(bytes), onDelta), deltas);
    }
  });
}

test.run();

function load(recording: Recording, baseUrl: string): Promise<LoadedProvider> {
  const options = { baseUrl, model: 'm', apiKey: 'k' };
  return recording.api === 'messages' ? loadProvider(messagesApi, options) : loadProvider(chatCompletions, options);
}

async function check({ expect }: Recording, outcome: Promise<Completion>, deltas: Deltas): Promise<void> {
  const settled = await outcome.catch((error: unknown) => error as Error);
  assert.equal(fingerprint(textOf(deltas, 'text')), fingerprintOf(expect.text));
  assert.equal(fingerprint(textOf(deltas, 'reasoning')), fingerprintOf(expect.reasoning));
  if (settled instanceof Error) {
    assert.ok(expect.error, settled.message);
    assert.is(settled.name, 'ProviderError');
    assert.match(settled.message, expect.errorText ?? '');
    return;
  }
  assert.not.ok(expect.error, 'an error inside the stream fails the call');
  assert.is(settled.content, textOf(deltas, 'text'));
  assert.is(settled.reasoning ?? '', textOf(deltas, 'reasoning'));
  const { inputTokens, outputTokens } = expect.usage;
  assert.equal(settled.usage, { totalTokens: inputTokens + outputTokens, ...expect.usage });
  assert.is(settled.finishReason, expect.finish ?? 'stop');
  assert.equal(
    settled.toolCalls.map(({ id, name, arguments: given, problem }) => ({
      id,
      name,
      arguments: problem ? null : given,
    })),
    expect.toolCalls,
  );
}

function fingerprint(text: string) {
  return { chars: text.length, sha256: createHash('sha256').update(text).digest('hex') };
}

function fingerprintOf({ chars, sha256 }: { chars: number; sha256: string }) {
  return { chars, sha256 };
}
