export interface SkillText {
  name?: string;
  description?: string;
  /** What follows the front matter. */
  body: string;
}

/** What name and description a text has in `---` front matter; none when that is not valid YAML. Loads the YAML library. */
export async function parseFrontMatter(text: string): Promise<SkillText> {
  const { head, body } = splitFrontMatter(text);
  if (head === undefined) return { body };
  const { default: yaml } = await import('yaml');
  try {
    const fields: unknown = yaml.parse(head, parsing);
    return { ...stringField(fields, 'name'), ...stringField(fields, 'description'), body };
  } catch {
    return { body };
  }
}

/** Tells `---` front matter from what follows it; a text without any is all body. */
export function splitFrontMatter(text: string): { head?: string; body: string } {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  const [, head = '', body = ''] = match ?? [];
  return match === null ? { body: text } : { head, body };
}

/** The files are strangers': comparing all keys with each other takes long, and warnings would be theirs, in our log. */
const parsing = { maxAliasCount: 10, uniqueKeys: false, logLevel: 'error' } as const;

function stringField<K extends 'name' | 'description'>(fields: unknown, key: K): Partial<Record<K, string>> {
  const value: unknown = typeof fields === 'object' && fields !== null ? Reflect.get(fields, key) : undefined;
  if (typeof value !== 'string' || value.trim() === '') return {};
  const result: Partial<Record<K, string>> = {};
  result[key] = value.trim();
  return result;
}
