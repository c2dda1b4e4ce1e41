export interface SkillText {
  name?: string;
  description?: string;
  /** What follows the front matter. */
  body: string;
}

/**
 * Splits `---` front matter off a text. What is no front matter, or not valid YAML, is body. The YAML library is loaded
 * when needed.
 */
export async function parseFrontMatter(text: string): Promise<SkillText> {
  const match = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(text);
  if (match === null) return { body: text };
  const { default: yaml } = await import('yaml');
  const [, head = '', body = ''] = match;
  try {
    const fields: unknown = yaml.parse(head, { maxAliasCount: 10 });
    return { ...stringField(fields, 'name'), ...stringField(fields, 'description'), body };
  } catch {
    return { body };
  }
}

function stringField<K extends 'name' | 'description'>(fields: unknown, key: K): Partial<Record<K, string>> {
  const value: unknown = typeof fields === 'object' && fields !== null ? Reflect.get(fields, key) : undefined;
  if (typeof value !== 'string' || value.trim() === '') return {};
  const result: Partial<Record<K, string>> = {};
  result[key] = value.trim();
  return result;
}
