import type { ToolOutput } from '../tools/tool.ts';

export type Output = Exclude<ToolOutput, string>;

const mostDataChars = 1024 * 1024;

/**
 * What a tool returned, in the one shape that a run works with. Tools are other people's code: anything but text or an
 * object with text is an error, and `data` that JSON can't carry, or not in a megabyte, is left out, because it would break
 * the record and the event, which every viewer gets.
 */
export function readOutput(toolName: string, returned: unknown): Output {
  if (typeof returned === 'string') return { content: returned };
  if (!isOutput(returned))
    throw new Error(
      `The tool ${toolName} failed: it must return text, or an object with the text as \`content\` and images as a list.`,
    );
  const { content, isError = false, images } = returned;
  const data = plainData(returned.data);
  return { content, isError, ...(data === undefined ? {} : { data }), ...(images ? { images } : {}) };
}

/** The sentence for whatever a tool threw. */
export function thrownText(thrown: unknown): string {
  if (thrown instanceof Error && thrown.message !== '') return thrown.message;
  const text = typeof thrown === 'object' ? '' : String(thrown ?? '');
  return text === '' ? 'The tool failed and did not say why.' : `The tool failed: ${text}`;
}

function isOutput(value: unknown): value is Output {
  if (typeof value !== 'object' || value === null || !('content' in value)) return false;
  return (
    typeof value.content === 'string' && (!('images' in value) || value.images == null || Array.isArray(value.images))
  );
}

function plainData(data: unknown): unknown {
  try {
    const text = JSON.stringify(data);
    return text === undefined || text.length > mostDataChars ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
