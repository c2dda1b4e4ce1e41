import { countOf, isRecord, parseJson, recordOf, textOf, type WrittenToolCall } from '../../lib/plugin-api/index.ts';

/**
 * Puts the fragments of parallel tool calls together. Servers disagree on what names a call: most send an index, some
 * only an id, some the same index for every call, some neither. `onText` sees each fragment of arguments.
 */
export function createToolCallAssembler(onText: (text: string) => void) {
  const calls: WrittenToolCall[] = [];
  const byIndex = new Map<number, WrittenToolCall>();

  const callFor = (index: number | undefined, id: string, name: string): WrittenToolCall => {
    const open =
      index === undefined ? (id === '' ? calls.at(-1) : calls.findLast((call) => call.id === id)) : byIndex.get(index);
    if (open !== undefined && !isAnother(open, id, name)) return open;
    const call: WrittenToolCall = { id, name: '', argumentsText: '' };
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
      const text = isRecord(rawArguments) ? JSON.stringify(rawArguments) : textOf(rawArguments);
      call.argumentsText += text;
      onText(text);
    },
  };
}

/** True when a fragment that claims the place of `open` begins a call of its own. */
function isAnother(open: WrittenToolCall, id: string, name: string): boolean {
  if (id !== '' && open.id !== '') return id !== open.id;
  return name !== '' && open.argumentsText !== '' && isRecord(parseJson(open.argumentsText));
}
