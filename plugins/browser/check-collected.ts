import { countOf, listOf, recordOf, textOf } from '../../lib/plugin-api/index.ts';
import type { CollectedPage, CollectOptions } from './collect-page.ts';

const longestField = 400;

/**
 * What was collected, in the types and lengths that it should have. Collecting runs among the scripts of the page, which
 * may have replaced any function that it uses.
 */
export function checkCollected(
  value: unknown,
  { maxChars, maxElements }: CollectOptions,
): Omit<CollectedPage, 'elements'> {
  const { title, text, length, described, count } = recordOf(value);
  const shown = textOf(text).slice(0, maxChars);
  const elements = listOf(described).slice(0, maxElements).map(recordOf);
  return {
    title: field(title),
    text: shown,
    length: Math.max(countOf(length) ?? 0, shown.length),
    described: elements.map(({ role, name, detail }) => ({
      role: field(role),
      name: field(name),
      detail: field(detail),
    })),
    count: Math.max(countOf(count) ?? 0, elements.length),
  };
}

function field(value: unknown): string {
  return textOf(value).slice(0, longestField);
}
