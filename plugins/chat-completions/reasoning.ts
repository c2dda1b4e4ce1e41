import { isRecord, listOf, recordOf, textOf } from '../../lib/plugin-api/index.ts';

/**
 * The reasoning in a delta: `reasoning_content`, `reasoning` or `reasoning_details`. A server that sends two sends the
 * same twice.
 */
export function reasoningOf(delta: Record<string, unknown>): string {
  if (delta.reasoning_content) return textOf(delta.reasoning_content);
  if (delta.reasoning) return textOf(delta.reasoning) || textOf(recordOf(delta.reasoning).content);
  if (!Array.isArray(delta.reasoning_details)) return '';
  return delta.reasoning_details
    .map((detail) => textOf(recordOf(detail).text) || textOf(recordOf(detail).summary))
    .join('');
}

/** Content that is an array of parts, told apart. */
export function contentParts(parts: readonly unknown[]): { channel: 'text' | 'reasoning'; text: string }[] {
  return parts.filter(isRecord).map((part) => {
    if (part.type === 'thinking') return { channel: 'reasoning', text: nestedText(part.thinking) };
    return { channel: 'text', text: textOf(part.text) };
  });
}

function nestedText(value: unknown): string {
  return (
    textOf(value) ||
    listOf(value)
      .map((part) => textOf(recordOf(part).text))
      .join('')
  );
}
