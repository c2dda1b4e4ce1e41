import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Usage } from '../../lib/wire/usage.ts';

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

/** The recordings in the folder that PROVIDER_STREAMS names; undefined when it names none. */
export function loadRecordings(): Recording[] | undefined {
  const folder = process.env.PROVIDER_STREAMS;
  if (!folder) return undefined;
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    streams: (Omit<Recording, 'bytes'> & { file: string })[];
  };
  return manifest.streams.map((entry) => ({ ...entry, bytes: readFileSync(join(folder, entry.file)) }));
}
