import type { Answers } from './answers.ts';
import { anySeq } from './compare.ts';

/**
 * The answers of one world in words that fit another one with the same history: ids become their numbers in the order of
 * their appearance, directories and event numbers become the same.
 */
export function named(answers: Answers): Answers {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `${id.slice(0, 3)}-${names.size}`;
    names.set(id, name);
    return name;
  };
  const reworded = (text: string): string =>
    anySeq(text, '')
      .replace(/\b(ses|msg|run|apr|chk|call)_[0-9A-HJKMNP-TV-Z]{26}\b/g, nameOf)
      .replace(/(service-test|machine)-\w{6}/g, '$1')
      .replace(/data-\d+/g, 'data')
      .replace(/"sha":"\w+"/g, '"sha":""')
      .replace(/"modifiedAt":"[^"]*"/g, '"modifiedAt":""')
      .replace(/,"lastUsedAt":"[^"]*"/g, '');
  return new Map(Array.from(answers, ([asked, answer]) => [reworded(asked), reworded(answer)]));
}
