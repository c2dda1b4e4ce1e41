import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Completion } from '../../lib/models/model.ts';
import { createBodyDecoder } from '../../lib/models/provider-http-body.ts';
import type { DeltaChannel } from '../../lib/wire/event.ts';
import type { Usage } from '../../lib/wire/usage.ts';
import { createStreamReader as createChatReader } from '../../plugins/chat-completions/read-stream.ts';
import { createStreamReader as createMessagesReader } from '../../plugins/messages-api/read-stream.ts';
import { requestOf } from './provider-kit.ts';

interface ExpectedText {
  chars: number;
  sha256: string;
}

/** A recorded answer of a real provider and what a correct client makes of it. */
export interface Recording {
  name: string;
  api: 'chat-completions' | 'messages';
  bytes: Buffer;
  expect: {
    text: ExpectedText;
    reasoning: ExpectedText;
    /** `arguments` is null where they were cut off. */
    toolCalls: { id: string; name: string; arguments: Record<string, unknown> | null }[];
    usage: Partial<Usage> & { inputTokens: number; outputTokens: number };
    finish: string | null;
    error: boolean;
    errorText?: string;
  };
}

const limits = { responseBytes: 1e9, lineChars: 1e9 };

/** The recordings in the folder that PROVIDER_STREAMS names; undefined when it names none. */
export function loadRecordings(): Recording[] | undefined {
  const folder = process.env.PROVIDER_STREAMS;
  if (!folder) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    streams: (Omit<Recording, 'bytes'> & { file: string })[];
  };
  return manifest.streams.map((entry) => ({ ...entry, bytes: readFileSync(join(folder, entry.file)) }));
}

/** What our reader of that API makes of the bytes, in memory. Rejects as a model call would. */
export async function readRecording(
  { api }: Recording,
  pieces: Uint8Array[],
  onDelta: (channel: DeltaChannel, delta: string) => void,
): Promise<Completion> {
  const io = { onDelta };
  const reader =
    api === 'messages'
      ? createMessagesReader('recorded', requestOf({}), { io, model: 'm' })
      : createChatReader('recorded', requestOf({}), { io, model: 'm', thinkTags: false });
  const decoder = createBodyDecoder('recorded', reader, limits);
  if (!pieces.some((piece) => decoder.write(piece))) decoder.end();
  return reader.finish();
}
