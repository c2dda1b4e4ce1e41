import type { Completion } from '../../lib/models/model.ts';
import { createBodyDecoder } from '../../lib/models/provider-http-body.ts';
import type { DeltaChannel } from '../../lib/wire/event.ts';
import { createStreamReader } from '../../plugins/chat-completions/read-stream.ts';
import { requestOf } from './provider-kit.ts';

type Delta = Record<string, unknown>;

/** What the chat completions reader makes of these deltas and this end. */
export function read(
  deltas: Delta[],
  { finish = 'stop', thinkTags = false }: { finish?: string | null; thinkTags?: boolean } = {},
) {
  const chunks = [
    ...deltas.map((delta) => ({ choices: [{ index: 0, delta, finish_reason: null }] })),
    { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
  ];
  return readLines([...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'], thinkTags);
}

/** The same for the data of events. */
export function readLines(lines: string[], thinkTags = false) {
  return readText(lines.map((line) => `data: ${line}\n\n`).join(''), thinkTags);
}

/** The same for a whole stream. */
export function readText(
  text: string,
  thinkTags = false,
): { completion: Completion; deltas: [DeltaChannel, string][] } {
  const deltas: [DeltaChannel, string][] = [];
  const io = { onDelta: (channel: DeltaChannel, delta: string) => void deltas.push([channel, delta]) };
  const request = requestOf({});
  const reader = createStreamReader('tested', request, { io, model: 'm', thinkTags });
  const decoder = createBodyDecoder('tested', reader, { responseBytes: 1e9, lineChars: 1e9 });
  if (!decoder.write(Buffer.from(text))) decoder.end();
  return { completion: reader.finish(), deltas };
}
