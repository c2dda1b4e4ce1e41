import {
  countOf,
  isRecord,
  ProviderError,
  parseJson,
  recordOf,
  textOf,
  type WrittenToolCall,
} from '../../lib/plugin-api/index.ts';

export interface AssembledCall extends WrittenToolCall {
  /** What the server wants back with the call. */
  extra?: Record<string, unknown>;
}

const mostCalls = 1_000;

/**
 * Puts the fragments of parallel tool calls together. Servers disagree on what names a call: most send an index, some
 * only an id, some the same index for every call, some neither. `onText` sees all text that is kept.
 */
export function createToolCallAssembler(onText: (text: string) => void) {
  const calls: AssembledCall[] = [];
  const byIndex = new Map<number, AssembledCall>();

  const callFor = (index: number | undefined, id: string, name: string): AssembledCall => {
    const open =
      index === undefined ? (id === '' ? calls.at(-1) : calls.findLast((call) => call.id === id)) : byIndex.get(index);
    if (open !== undefined && !isAnother(open, id, name)) return open;
    if (calls.length >= mostCalls) throw new ProviderError(`The answer holds more than ${mostCalls} tool calls.`);
    const call: AssembledCall = { id, name: '', argumentsText: '' };
    calls.push(call);
    if (index !== undefined) byIndex.set(index, call);
    return call;
  };

  return {
    calls,
    add(fragment: unknown): void {
      if (!isRecord(fragment)) return;
      const { name: rawName, arguments: rawArguments } = recordOf(fragment.function);
      const [id, name] = [textOf(fragment.id), textOf(rawName)];
      const call = callFor(countOf(fragment.index), id, name);
      if (call.id === '') call.id = id;
      if (name !== '') call.name = name;
      if (isRecord(fragment.extra_content)) {
        call.extra = fragment.extra_content;
        onText(JSON.stringify(call.extra));
      }
      const text = isRecord(rawArguments) ? JSON.stringify(rawArguments) : textOf(rawArguments);
      call.argumentsText += text;
      onText(id + name + text);
    },
  };
}

/** True when a fragment that claims the place of `open` begins a call of its own. */
function isAnother(open: AssembledCall, id: string, name: string): boolean {
  if (id !== '' && open.id !== '') return id !== open.id;
  const text = open.argumentsText;
  return name !== '' && text.endsWith('}') && text.length < longestCheck && isRecord(parseJson(text));
}

/** Parsing what is there for every fragment is only cheap while that is short. */
const longestCheck = 64 * 1024;
