import { readFileSync } from 'node:fs';
import { createEstimator } from '../../lib/run/estimate.ts';
import { loadRecordings, type Recording, readRecording } from '../providers/recordings.ts';
import { sampleMessage } from '../store/sample.ts';
import { median } from './stats.ts';
import { print } from './table.ts';

/** An estimate beside the truth, in tokens. */
interface Compared {
  name: string;
  estimated: number;
  real: number;
}

/** How far the estimate that decides about compaction is from what tokenizers count and providers report; no network. */
export async function printEstimates(): Promise<void> {
  const { texts } = JSON.parse(readFileSync('test/bench/texts.json', 'utf8')) as {
    texts: { name: string; text: string; o200k: number; cl100k: number }[];
  };
  const measured = texts.map(({ name, text, ...real }) => ({ name, ...real, estimated: estimateOf(text) }));
  for (const encoding of ['o200k', 'cl100k'] as const)
    show(
      `token estimate beside ${encoding}_base`,
      measured.map((each) => ({ ...each, real: each[encoding] })),
    );

  const recordings = loadRecordings();
  if (recordings === undefined) {
    console.log('\nSKIPPED the estimate beside reported usage: PROVIDER_STREAMS names no folder');
    return;
  }
  const compared: Compared[] = [];
  for (const recording of recordings) compared.push(...(await compare(recording)));
  show('token estimate of a reply beside the usage that its provider reported', compared);
  console.log(
    `${recordings.length - compared.length} of ${recordings.length} recordings are left out: failed ones, replies under ` +
      `${smallestReply} tokens, and those whose reasoning is counted together with the reply.`,
  );
}

/** Below this the fixed overhead of a message is most of it. */
const smallestReply = 8;

/** Nothing where the reported number is not that of the reply. */
async function compare(recording: Recording): Promise<Compared[]> {
  const completion = await readRecording(recording, [recording.bytes], () => {}).catch(() => undefined);
  if (!completion?.usage) return [];
  const { outputTokens, reasoningTokens } = completion.usage;
  if (completion.reasoning && reasoningTokens === undefined) return [];
  // Some providers count reasoning beside the output, not in it.
  const real = outputTokens > (reasoningTokens ?? 0) ? outputTokens - (reasoningTokens ?? 0) : outputTokens;
  if (real < smallestReply) return [];
  const toolCalls = completion.toolCalls.map(({ id, name, arguments: given }) => ({ id, name, arguments: given }));
  return [{ name: recording.name, real, estimated: estimateOf(completion.content, toolCalls) }];
}

function estimateOf(
  content: string,
  toolCalls: { id: string; name: string; arguments: Record<string, unknown> }[] = [],
) {
  const fields = { role: 'assistant', ...(toolCalls.length > 0 && { toolCalls }) } as const;
  return createEstimator().messages([sampleMessage(content, fields)]);
}

function show(title: string, compared: Compared[]): void {
  const ratios = compared.map(({ estimated, real }) => estimated / real);
  console.log('');
  print(
    [title, 'estimated', 'real', 'ratio'],
    compared.map(({ name, estimated, real }) => [name, `${estimated}`, `${real}`, (estimated / real).toFixed(2)]),
  );
  console.log(
    `FIGURE ${title}: median ${median(ratios).toFixed(2)}x, lowest ${Math.min(...ratios).toFixed(2)}x, ` +
      `highest ${Math.max(...ratios).toFixed(2)}x of ${compared.length}`,
  );
}
