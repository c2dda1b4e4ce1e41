import { isRecord, listOf, type ModelMessage, recordOf, textOf } from '../../lib/plugin-api/index.ts';

type Part = Record<string, unknown>;

/** What a server wants back with an assistant message, word for word: signed reasoning, signatures of tool calls. */
export interface KeptParts {
  reasoningDetails: Part[];
  /** `extra_content` of tool calls, by the id of the call. */
  callExtras: Record<string, Part>;
}

const nothing: KeptParts = { reasoningDetails: [], callExtras: {} };
const mostDetails = 1_000;
const mostChars = 1024 * 1024;

/**
 * Collects `reasoning_details` from deltas: fragments with the same index and type are one detail. Bounded, because they
 * stay in the transcript; what exceeds the bound is no reasoning that anybody signed.
 */
export function createDetailCollector() {
  const details: Part[] = [];
  let chars = 0;
  return {
    add(fragments: unknown): void {
      for (const fragment of listOf(fragments).filter(isRecord)) {
        if (chars > mostChars || details.length >= mostDetails) return;
        const open = details.findLast(({ index, type }) => index === fragment.index && type === fragment.type);
        if (open !== undefined && fragment.index !== undefined) chars += mergeInto(open, fragment);
        else {
          details.push({ ...fragment });
          chars += JSON.stringify(fragment).length;
        }
      }
    },
    /** The details, if they are complete and hold what a server could not make again: a signature or encrypted data. */
    kept(): Part[] {
      const isWhole = chars <= mostChars && details.length < mostDetails;
      return isWhole && details.some(({ signature, data }) => textOf(signature) || textOf(data)) ? details : [];
    },
  };
}

/** The parts in the form that a message keeps; undefined when there are none. Only the model that wrote them gets them back. */
export function keptMeta(
  model: string,
  { reasoningDetails, callExtras }: KeptParts,
): Record<string, unknown> | undefined {
  if (reasoningDetails.length === 0 && Object.keys(callExtras).length === 0) return undefined;
  return { kept: { model, reasoningDetails, callExtras } };
}

/** The parts that this model left in a message. */
export function keptParts(message: ModelMessage & { role: 'assistant' }, model: string): KeptParts {
  const kept = message.meta?.kept;
  if (!isRecord(kept) || kept.model !== model) return nothing;
  const extras = Object.entries(recordOf(kept.callExtras)).map(([id, extra]) => [id, recordOf(extra)] as const);
  return { reasoningDetails: listOf(kept.reasoningDetails).filter(isRecord), callExtras: Object.fromEntries(extras) };
}

/** How many characters came in: what every fragment repeats, such as its type, costs nothing. */
function mergeInto(open: Part, fragment: Part): number {
  let chars = 0;
  for (const [name, value] of Object.entries(fragment)) {
    const grows = name === 'text' || name === 'summary' || name === 'data';
    if (grows) {
      open[name] = textOf(open[name]) + textOf(value);
      chars += textOf(value).length;
    } else if (value !== null && value !== '' && value !== open[name]) {
      open[name] = value;
      chars += JSON.stringify(value).length;
    }
  }
  return chars;
}
